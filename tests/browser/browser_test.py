"""The HTML report as a browser shows it."""

import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

WIDTHS = (390, 1280)


def main(folder):
    folder = pathlib.Path(folder).resolve()
    page_url = (folder / "report.html").as_uri()
    checks = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for scheme in ("light", "dark"):
            grounds = set()
            for width in WIDTHS:
                for script in (True, False):
                    page = open_page(browser, page_url, scheme, width, script)
                    checks += look(page, width, script)
                    grounds.add(ground(page) if script else None)
                    if script:
                        name = f"report-{scheme}-{width}.png"
                        page.screenshot(path=folder / name, full_page=True, clip=clip(page, width))
                        print(f"{folder / name}")
                    page.context.close()
            print(f"{scheme}: ground {', '.join(sorted(filter(None, grounds)))}")
            checks += expect(len(grounds - {None}) == 1, "one ground a scheme")
        browser.close()
    print(f"{checks} passed, 0 failed")
    return 0


def open_page(browser, url, scheme, width, script):
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 844}, java_script_enabled=script
    )
    page = context.new_page()
    page.requests = []
    page.problems = []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("console", lambda message: page.problems.append(message.text))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.goto(url)
    return page


def look(page, width, script):
    """Everything that must hold; returns how many checks were made."""
    checks = expect(page.requests == [page.url], f"loads nothing else: {page.requests}")
    checks += expect(not page.problems, f"no complaints: {page.problems}")
    checks += expect(page.locator("a, form, iframe, img, object, embed").count() == 0, "not live")
    rows = page.locator("#hosts tbody tr")
    checks += expect(rows.count() > 3, "the table has rows")
    checks += expect(page.locator("mark").count() > 0, "deceiving characters are marked")
    checks += expect(page.locator("svg rect").count() > 3, "the plots have bars")
    checks += expect(page.locator("#search").is_visible() == script, "the search needs script")
    # Without script the filter by verdict works all the same.
    page.locator("label[for=only-unsafe]").click()
    shown = rows.locator("visible=true").count()
    kept = page.locator("#hosts tbody tr.unsafe").count()
    checks += expect(shown == kept and kept < rows.count(), f"only unsafe: {shown} of {kept}")
    page.locator("label[for=only-all]").click()
    if script:
        overflow = page.evaluate("document.documentElement.scrollWidth")
        checks += expect(overflow <= width, f"no horizontal scrolling: {overflow} > {width}")
        page.locator("#search").fill("unsafe")
        checks += expect(rows.locator("visible=true").count() >= kept, "the search finds")
        page.locator("#search").fill("")
        checks += expect(contrast(page) >= 4.5, f"contrast {contrast(page):.1f}")
    return checks


def ground(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def contrast(page):
    """The worst contrast of any text against what stands behind it (WCAG 2.2, 1.4.3)."""
    return page.evaluate(
        """() => {
        const parts = (color) => color.match(/[0-9.]+/g).map(Number);
        const light = (color) => {
          const [r, g, b] = parts(color).slice(0, 3).map((part) => {
            const c = part / 255;
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const behind = (part) => {
          for (; part; part = part.parentElement) {
            const color = getComputedStyle(part).backgroundColor;
            if (parts(color)[3] !== 0) return light(color);
          }
          return 1;
        };
        let worst = 21;
        for (const part of document.querySelectorAll("body *")) {
          const own = [...part.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
          if (!own || part.closest("script, title")) continue;
          const style = getComputedStyle(part);
          const ink = light(part.closest("svg") ? style.fill : style.color);
          const ground = behind(part);
          const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
          worst = Math.min(worst, ratio);
        }
        return worst;
      }"""
    )


def clip(page, width):
    height = page.evaluate("document.documentElement.scrollHeight")
    return {"x": 0, "y": 0, "width": width, "height": min(height, 6000)}


def expect(true, what):
    assert true, what
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
