"""The pages of tests/html/attacks.rs in Chromium: nothing of a lying host is left to follow, fetch or read.

Reads lines of {name, before, after}. Every page is loaded as it came in, to see that the attack works
here at all, and as it leaves the filter. No request leaves the machine: all are answered here.
"""

import json
import re
import sys
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Error, sync_playwright

LYING = ("р\u0430ypal.com", "\u0430\u0440\u0440\u04cf\u0435.com")
HOSTS = set(LYING) | {"xn--ypal-43d9g.com", "xn--80ak6aa92e.com"}
UNSEEN = re.compile("[\u00ad\u0000\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
# Share of the attacks that must work in Chromium before the filter, or the test proves little.
WORKING = 0.75

COLLECT = """() => {
  const urls = [], roots = [document];
  while (roots.length) {
    const root = roots.pop();
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (element.content instanceof DocumentFragment) roots.push(element.content);
      for (const name of ['href', 'src', 'action', 'formAction', 'data', 'poster', 'cite', 'background',
          'longDesc', 'codeBase', 'profile', 'lowsrc', 'currentSrc', 'ping']) {
        let value = element[name];
        for (const form of [value, value && value.baseVal, value && value.animVal])
          if (typeof form === 'string') urls.push(element.tagName + '[' + name + '] ' + form);
      }
      const style = getComputedStyle(element);
      for (const name of ['backgroundImage', 'listStyleImage', 'cursor', 'content', 'maskImage', 'fill',
          'filter', 'borderImageSource'])
        for (const url of (style[name] || '').matchAll(/url\\("?([^")]*)/g)) urls.push('css ' + url[1]);
    }
  }
  for (const sheet of document.styleSheets) try {
    for (const rule of sheet.cssRules) {
      if (rule.href) urls.push('css ' + new URL(rule.href, document.baseURI));
      for (const url of rule.cssText.matchAll(/url\\("?([^")]*)/g)) urls.push('css ' + url[1]);
    }
  } catch (error) {}
  return [urls, document.documentElement ? document.documentElement.innerText : '', document.title];
}"""


def main(pages):
    pages = [json.loads(line) for line in open(pages, encoding="utf-8")]
    working, wrong = 0, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for script in (False, True):
            context = browser.new_context(java_script_enabled=script)
            for page in pages:
                page["works"] = page.get("works") or bool(live(context, page["before"]))
                what = live(context, page["after"])
                if what:
                    wrong.append(f"{page['name']}: {what}")
            context.close()
        version = browser.version
        browser.close()
    working = sum(page["works"] for page in pages)
    print(f"Chromium {version}: {len(pages)} attacks, {working} of them work in it, {len(wrong)} left alive")
    for page in pages:
        if not page["works"]:
            print(f"  not seen to work: {page['name']}")
    print("\n".join(wrong))
    return 1 if wrong or working < WORKING * len(pages) else 0


def live(context, html):
    """What of the page leads to a lying host, or shows one; None if nothing does."""
    asked = []

    def answer(route):
        url = route.request.url
        if urlsplit(url).hostname == "page.invalid":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        else:
            asked.append(url)
            route.abort()

    page = context.new_page()
    page.route("**/*", answer)
    try:
        page.goto("https://page.invalid/", wait_until="load", timeout=5_000)
        page.wait_for_timeout(20)
    except Error:
        pass
    found = next((f"asks for {url}" for url in asked if lies(url)), None)
    for frame in page.frames:
        found = found or in_frame(frame)
    page.close()
    return found


def in_frame(frame):
    try:
        urls, text, title = frame.evaluate(COLLECT)
    except Error:
        return None
    for url in urls:
        place, _, address = url.partition(" ")
        if any(lies(word) for word in address.split()):
            return f"{place} leads to {address}"
    for seen in (text, title):
        plain = UNSEEN.sub("", seen).lower()
        for host in HOSTS:
            if host in plain:
                return f"shows {host} in {seen[:80]!r}"
    return None


def lies(url):
    try:
        parts = urlsplit(unquote(url))
        hosts = [parts.hostname or ""]
    except ValueError:
        return False
    if parts.scheme in ("mailto", "sip"):
        hosts = re.split("[@?&,;=]", parts.path + "?" + parts.query)
    return any(host.lower() in HOSTS for host in hosts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
