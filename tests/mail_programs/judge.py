#!/usr/bin/env python3
"""Filters the messages, shows them to the programs before and after, and says what is alive.

    judge.py LINKMILTER FOLDER [--table PAGE [--write]] [--reasons FILE] COMMAND…

A program is a command that reads paths and writes what it shows; `judge.py` takes from that what a
client would make a link of. Of a deceptive link that some program shows:

  caught      after the filter no program shows it alive
  reported    some program shows it alive, in a message that is suspect or worse
  through     some program shows it alive, in a message without a finding
"""

import collections
import concurrent.futures
import html.parser
import json
import os
import re
import subprocess
import sys
import unicodedata
import urllib.parse

from asked import Asked

NAMES = ["раypal.com", "gοοgle.com", "аррӏе.com", "login.evil.example", "wake.uk"]


def to_ascii(label):
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()


def evil():
    """The deceptive names in both spellings, also behind a look-alike of a slash."""
    for name in NAMES:
        yield name
        yield ".".join(map(to_ascii, name.split(".")))


# A name where a client would take it for the host of a URL or of an address.
ALIVE = re.compile(
    r"(?:[/\\]|(?:https?|ftp|mailto):|www\.|@)[^\s<>\"/\\?#]*?(?<![^\W_])(%s)(?![\w-])" % "|".join(map(re.escape, evil())), re.I
)
# What a browser takes into the host between a known name and the last one.
GLUED = re.compile(r"https?:[/\\]+www\.paypal\.com[^\s<>\"/\\?#\x00-\x7f]login\.evil\.example", re.I)
# Characters that browsers leave out of a URL, or that IDNA leaves out of a host.
NOTHING = dict.fromkeys(map(ord, "\t\r\n\u00ad\u200b\u200c\u2060\ufeff\0"))
URLS = {"href", "xlink:href", "src", "action", "formaction", "data", "content", "srcset", "base", "cite", "background"}


def is_alive(text, url=False):
    if url:
        text = urllib.parse.unquote(text).translate(NOTHING)
    text = unicodedata.normalize("NFKC", text) if not GLUED.search(text) else text
    return bool(ALIVE.search(text) or GLUED.search(text))


# What neither has a scheme nor a host: it leads to the base of the page.
RELATIVE = re.compile(r"(?![a-z][a-z0-9+.-]*:|[/\\]{2})", re.I)


class Page(html.parser.HTMLParser):
    """Attributes with URLs, and visible text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.alive = False
        # Whether the base deceives: by itself it leads nowhere.
        self.based = False
        # Script is not run, and a sheet is not shown.
        self.mute = 0
        self.text = []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if tag == "base":
                self.based |= name == "href" and is_alive(value or "", url=True)
            elif name in URLS and value and is_alive(value, url=True):
                self.alive = True
            elif self.based and name in {"href", "action", "formaction"} and RELATIVE.match((value or "").strip()):
                self.alive = True
            if name == "srcdoc" and value and shows(value):
                self.alive = True
        self.mute += tag in {"script", "style"}

    def handle_endtag(self, tag):
        self.mute -= tag in {"script", "style"}

    def handle_data(self, data):
        if not self.mute:
            self.text.append(data)


def shows(text, linked=False):
    """Whether a page leads there; text counts where the program has not made its links itself."""
    page = Page()
    try:
        page.feed(text)
        page.close()
    except (AssertionError, ValueError):
        pass
    return page.alive or (not linked and is_alive("".join(page.text)))


def alive(part):
    """Whether a reader of this part can follow the deceptive link."""
    text = part["text"] or ""
    if part.get("linked"):
        return shows(text, linked=True)
    name = (part.get("name") or "").lower()
    markup = "html" in part["type"] or "xml" in part["type"] or re.search(r"\.(x?html?|xht|svg|shtml?)\W*$", name)
    if markup:
        return shows(text)
    return is_alive(text) or ("<" in text and text.lstrip()[:1] == "<" and shows(text))


def filtered(linkmilter, folder, name):
    command = [linkmilter, "rewrite", f"{folder}/original/{name}"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    with open(f"{folder}/filtered/{name}", "wb") as out:
        out.write(run.stdout)
    head = re.sub(rb"\r?\n[ \t]+", b" ", run.stdout)[:4000].decode("latin-1")
    verdict = re.search(r"(?m)^X-Linkmilter: .*?verdict=(\w+)", head)
    reasons = re.search(r"(?m)^X-Linkmilter: .*?reasons=([\w,-]+)", head)
    return run.returncode, verdict.group(1) if verdict else "none", reasons.group(1) if reasons else ""


def alive_in(asked):
    """What the programs of a command show alive: (file, program) pairs."""
    return {(os.path.basename(path), program) for (path, program), parts in asked.shown.items() if any(alive(part) for part in parts)}


def main():
    arguments = sys.argv[1:]
    options = {}
    for option in ["--table", "--reasons"]:
        if option in arguments:
            at = arguments.index(option)
            options[option] = arguments[at + 1]
            del arguments[at : at + 2]
    write = "--write" in arguments
    linkmilter, folder, *commands = [argument for argument in arguments if argument != "--write"]
    with open(f"{folder}/index.jsonl") as lines:
        index = {entry["file"]: entry for entry in map(json.loads, lines)}
    os.makedirs(f"{folder}/filtered", exist_ok=True)
    names = sorted(index)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(names, pool.map(lambda name: filtered(linkmilter, folder, name), names)))
    def ask(job):
        command, side = job
        return Asked(command, [f"{folder}/{side}/{name}" for name in names])

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(command, side) for command in commands for side in ["original", "filtered"]]
        asked = dict(zip(jobs, pool.map(ask, jobs)))
    before, after, spoke, faults = set(), set(), set(), []
    for command in commands:
        sides = asked[command, "original"], asked[command, "filtered"]
        for side in sides:
            faults += side.again()
        before |= alive_in(sides[0])
        after |= alive_in(sides[1])
        who = sides[0].programs()
        spoke |= who
        if not who:
            print(f"not there: {command}", file=sys.stderr)
        for program in sorted(who ^ sides[1].programs()):
            faults.append(f"{command}: {program} spoke of one side alone")
    with open(f"{folder}/shown.jsonl", "w") as out:
        for name, program in sorted(before):
            print(json.dumps({"file": name, "program": program}), file=out)
    for fault in faults:
        print(f"the machine: {fault}")
    return report(index, results, before, after, sorted(spoke), options, write, faults)


def report(index, results, before, after, spoke, options, write, faults):
    by_file = collections.defaultdict(set)
    for name, program in after:
        by_file[name].add(program)
    shown = {name for name, _ in before | after}
    fates = collections.Counter()
    rows = []
    for name in sorted(index):
        code, verdict, reasons = results[name]
        if code != 0:
            fate = "crash"
        elif name not in shown:
            fate = "shown by nobody"
        elif name not in by_file:
            fate = "caught"
        else:
            fate = "reported" if verdict in {"suspect", "unsafe", "invalid"} else "through"
        fates[fate] += 1
        if fate in {"crash", "through", "reported"}:
            rows.append((fate, name, index[name]["class"], index[name]["place"], ",".join(sorted(by_file[name])), reasons))
    for row in rows:
        print(*row, sep="\t")
    print(", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())), "·", len(spoke), "programs:", ", ".join(spoke))
    effective = len(shown)
    wrong = fates["through"] + fates["crash"]
    print(f"{effective} of {len(index)} are shown; {fates['through']} through, {fates['reported']} alive and reported")
    if faults:
        print("nothing is compared: what programs did not say is no reading; run it again on a quieter machine")
        wrong += 1
    elif "--table" in options:
        import table

        wrong += table.check(options, index, before, rows, spoke, effective, write)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
