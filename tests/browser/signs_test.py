"""What a person sees of an edit: six messages, filtered, in light, dark, narrow and, two of them, written
from right to left. Each sign has to be there to read: drawn, inside the window, covered by nothing, with
enough contrast, and where a screen reader comes by at the right moment. Screenshots beside it."""

import email
import email.policy
import html
import pathlib
import shutil
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

# Punycode of letters that read as a protected name.
LINK = "https://xn--80ak6aa92e.com/login"
NOTICES = {
    "de": "irreführender Link, deaktiviert",
    "en": "misleading link, disabled",
    "ar": "رابط مضلل، تم تعطيله",
    "ru": "обманчивая ссылка, отключена",
}
BANNERS = {
    "de": "In dieser Nachricht wurden irreführende Links deaktiviert.",
    "en": "Misleading links in this message were disabled.",
    "ar": "تم تعطيل روابط مضللة في هذه الرسالة.",
    "ru": "Обманчивые ссылки в этом письме отключены.",
}

BUTTON = (
    '<table width="100%" cellpadding="0"><tr><td style="background:#f4f4f4;padding:24px">'
    '<table style="max-width:600px" align="center"><tr><td bgcolor="#ffffff" style="padding:16px;color:#222">'
    '<p>{before}</p><a href="' + LINK + '" style="display:inline-block;background:#0a58ca;color:#ffffff;'
    'padding:12px 20px;border-radius:6px;text-decoration:none">{label}</a><p>{after}</p>'
    "</td></tr></table></td></tr></table>"
)

# Name, language, direction, subtype, body; what a dead link shows, so that its place is known.
MESSAGES = [
    ("button", "de", "ltr", "html", BUTTON.format(before="Ihr Konto wartet.", label="Jetzt bestätigen", after="Ihr Team"), "Jetzt bestätigen"),
    ("button-rtl", "ar", "rtl", "html", '<div dir="rtl">' + BUTTON.format(before="حسابك في انتظارك.", label="تأكيد الآن", after="فريقك") + "</div>", "تأكيد الآن"),
    ("text-rtl", "ar", "rtl", "plain", "يرجى تأكيد حسابك الآن من فضلك قبل نهاية اليوم\n" + LINK + "\nشكرا لك على وقتك\n", "xn--80ak6aa92e[.]com"),
    ("text", "ru", "ltr", "plain", "Пожалуйста, подтвердите ваш адрес:\n" + LINK + "\nСпасибо\n", "xn--80ak6aa92e[.]com"),
    ("picture", "en", "ltr", "html", '<p>Hello,</p><p><a href="' + LINK + '"><img alt="Sign in" width="200" height="60" '
     'src="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%22200%22 height=%2260%22%3E%3Crect width=%22200%22 '
     'height=%2260%22 fill=%22teal%22/%3E%3C/svg%3E"></a></p><p>Bye</p>', None),
    ("dark", "en", "ltr", "html", '<html><head><style>@media (prefers-color-scheme: dark){body{background:#111;color:#eee}}</style></head>'
     '<body><p>Your parcel is here.</p><p>Go to <a href="' + LINK + '">the tracking page</a> or ' + LINK + ' soon.</p></body></html>', "the tracking page"),
]

MODES = [("light", 1280), ("dark", 1280), ("narrow", 390)]

# Where the words stand and whether somebody can read them.
LOOK = """(words) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  let order = 0;
  for (let node; (node = walker.nextNode());) {
    const at = node.data.indexOf(words);
    order += 1;
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + words.length);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
    const holder = node.parentElement;
    const style = getComputedStyle(holder);
    let ground = null;
    for (let up = holder; up && !ground; up = up.parentElement) {
      const colour = getComputedStyle(up).backgroundColor;
      if (!/, 0\\)$/.test(colour)) ground = colour;
    }
    const covered = boxes.some((box) => {
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return !(top && (top === holder || top.contains(holder)));
    });
    let clipped = boxes.length === 0 || boxes.some((box) => box.left < -0.5 || box.right > innerWidth + 0.5 || box.height < 8);
    for (let up = holder; up; up = up.parentElement) {
      if (getComputedStyle(up).overflow === "visible" || up === document.documentElement || up === document.body) continue;
      const frame = up.getBoundingClientRect();
      clipped ||= boxes.some((box) => box.right > frame.right + 0.5 || box.left < frame.left - 0.5 || box.bottom > frame.bottom + 0.5);
    }
    found.push({ order, covered, clipped, size: parseFloat(style.fontSize), colour: style.color, ground,
                 hidden: style.visibility !== "visible" || style.opacity === "0" });
  }
  return found;
}"""


def channel(value):
    value /= 255
    return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4


def luminance(colour):
    red, green, blue = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def message(language, subtype, body):
    built = email.message.EmailMessage(policy=email.policy.SMTP)
    built["From"], built["To"], built["Subject"] = "ann@example.com", "bob@example.org", "x"
    built.set_content(body, subtype=subtype, charset="utf-8")
    built["Content-Language"] = language
    return bytes(built)


def filtered(program, raw):
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write('policy.notice = "inline"\nbanner.links = true\n')
        config.flush()
        done = subprocess.run([program, "rewrite", "--config", config.name], input=raw, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr.decode())
        return done.stdout


def page_of(raw, direction):
    """As a mail program shows it: its own ground and text, in the scheme of the reader."""
    part = email.message_from_bytes(raw, policy=email.policy.default)
    content = part.get_content()
    if part.get_content_type() == "text/plain":
        content = f'<pre dir="{direction}" style="white-space:pre-wrap;overflow-wrap:anywhere">{html.escape(content)}</pre>'
    head = '<meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>html{background:Canvas;color:CanvasText}</style>'
    return f"<!doctype html>{head}{content}"


def expect(holds, what):
    if not holds:
        raise SystemExit(f"failed: {what}")
    return 1


def look(page, where, words, enough):
    """The signs of one wording; every one of them has to be readable."""
    found = page.evaluate(LOOK, words)
    checks = expect(len(found) >= enough, f"{where}: {len(found)} of {enough} signs {words!r}")
    for sign in found:
        checks += expect(not sign["hidden"] and sign["size"] >= 10, f"{where}: hidden or tiny: {sign}")
        checks += expect(not sign["clipped"], f"{where}: clipped: {sign}")
        checks += expect(not sign["covered"], f"{where}: covered: {sign}")
        ratio = contrast(sign["colour"], sign["ground"])
        checks += expect(ratio >= 4.5, f"{where}: contrast {ratio:.1f}: {sign}")
    return checks, [sign["order"] for sign in found]


def main(program, folder):
    folder = pathlib.Path(folder).resolve() / "signs"
    folder.mkdir(parents=True, exist_ok=True)
    checks = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for name, language, direction, subtype, body, shown in MESSAGES:
            raw = filtered(program, message(language, subtype, body))
            again = filtered(program, raw)
            checks += expect(raw == again, f"{name}: a second run changes nothing")
            for mode, width in MODES:
                scheme = "dark" if mode == "dark" else "light"
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 700})
                page = context.new_page()
                page.route("**/*", lambda route: route.abort())
                page.set_content(page_of(raw, direction))
                where = f"{name}, {mode}"
                done, banner = look(page, where, BANNERS[language], 1)
                checks += done
                done, notices = look(page, where, NOTICES[language], 1)
                checks += done
                checks += expect(banner == [min(banner + notices)], f"{where}: the banner is read first")
                if shown:
                    _, links = look(page, where, shown, 1)
                    near = min(abs(link - notice) for link in links for notice in notices)
                    checks += expect(near <= 1, f"{where}: the sign is read beside what it is about")
                checks += expect(page.locator("a[href]").count() == 0, f"{where}: nothing to click")
                overflow = page.evaluate("document.documentElement.scrollWidth")
                checks += expect(overflow <= width, f"{where}: no scrolling sideways: {overflow} > {width}")
                page.screenshot(path=folder / f"{name}-{mode}.png", full_page=True)
                context.close()
        # What would be found if a sign could not be read: the checks themselves are looked at.
        page = browser.new_page(viewport={"width": 390, "height": 700})
        for style in ("color:#fff;background:#eee", "display:none", "opacity:0", "position:absolute;left:380px;white-space:nowrap", "font-size:2px"):
            page.set_content(f'<p style="{style}">{NOTICES["en"]}</p>')
            try:
                look(page, "itself", NOTICES["en"], 1)
            except SystemExit:
                checks += 1
            else:
                raise SystemExit(f"failed: a sign that nobody can read counts as read: {style}")
        browser.close()
    print(f"{folder}: {len(MESSAGES)} messages in {len(MODES)} ways")
    print(f"{checks} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
