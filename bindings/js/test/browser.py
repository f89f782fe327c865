"""The npm package in a real Chromium: python browser.py FOLDER, which holds `uts58` and `test`."""

import functools
import http.server
import json
import shutil
import sys
import threading

from playwright.sync_api import sync_playwright


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main(folder):
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    problems = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.server_port}/test/browser.html")
        page.wait_for_selector("html[data-result]", state="attached", timeout=60000)
        result = json.loads(page.locator("html").get_attribute("data-result"))
        page.locator("#text").fill("「例え.com」です <b>")
        shown = page.locator("#shown a")
        if shown.get_attribute("href") != "http://xn--r8jz45g.com" or page.locator("#shown b").count():
            problems.append(f"the page shows {page.locator('#shown').inner_html()}")
        version = browser.version
        browser.close()
    wrong = result["wrong"] + [text for text in problems if "favicon" not in text and "404" not in text]
    print("\n".join(wrong), file=sys.stderr)
    print(f"Chromium {version}: {result['passed'] + 1} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
