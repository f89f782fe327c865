#!/usr/bin/env python3
"""Real mail of which every link was defanged: no program shows a link to a host that the filter edited.

    mail.py FOLDER EXCEPTIONS [--all] COMMAND…

FOLDER holds the messages and index.jsonl, a line {file, name, hosts} each, as tests/live.rs writes them.
"""

import collections
import json
import re
import sys
import urllib.parse

from asked import Asked
from judge import RELATIVE, URLS, Page

# What announces a host in text, and the host.
ANNOUNCED = re.compile(r"(?:(?:https?|ftp):[/\\]{2}|@)([^\s<>\"'/\\?#()\[\]{}|,;:&=!*^`~$%+@]+)|\b(www\.[^\s<>\"'/\\?#()\[\]{}|,;:&=!*^`~$%+@]+)", re.I)


def in_text(text):
    for behind, www in ANNOUNCED.findall(text):
        yield (behind or www).rstrip(".").lower()


class Links(Page):
    """The hosts that attributes lead to, and the text."""

    def __init__(self):
        super().__init__()
        self.hosts = set()
        # The hosts of the base, to which only what is relative leads.
        self.base = set()

    def handle_starttag(self, tag, attributes):
        # What search engines and previews read of a page leads nobody anywhere.
        leads = tag == "meta" and any(name == "http-equiv" for name, _ in attributes)
        for name, value in attributes:
            if name == "content" and not leads:
                continue
            if tag == "base":
                self.base.update(in_text(urllib.parse.unquote(value or "")) if name == "href" else ())
            elif name in {"href", "action", "formaction"} and RELATIVE.match((value or "").strip()):
                self.hosts.update(self.base)
            elif name in URLS and value:
                self.hosts.update(in_text(urllib.parse.unquote(value)))
        self.mute += tag in {"script", "style"}


# What opens a page in a file that nobody labelled.
MARKUP = re.compile(r"<(?:!doctype|html|head|body|meta|style|table|div|span|center|font|img|a|p|br)[\s>/]", re.I)


def hosts(part):
    """The hosts that a reader of this part could go to."""
    text = part["text"] or ""
    kind = part["type"]
    # Extractors write files without a type; a page is opened as one.
    if kind == "" and MARKUP.search(text):
        kind = "text/html"
    if not ("html" in kind or "xml" in kind or part.get("linked")):
        return set(in_text(text)) if kind == "" or kind.startswith("text/") else set()
    page = Links()
    try:
        page.feed(text)
        page.close()
    except (AssertionError, ValueError):
        pass
    return page.hosts if part.get("linked") else page.hosts | set(in_text("".join(page.text)))


def main():
    folder, exceptions, *commands = [argument for argument in sys.argv[1:] if argument != "--all"]
    with open(f"{folder}/index.jsonl") as lines:
        index = {entry["file"]: entry for entry in map(json.loads, lines)}
    with open(exceptions) as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if line.startswith("live-programs\t")]
    known = {name for _, name, *_ in rows}
    paths = [f"{folder}/{name}" for name in sorted(index)]
    live = collections.defaultdict(dict)
    faults = []
    for command in commands:
        asked = Asked(command, paths)
        faults += asked.again()
        for (path, program), parts in asked.shown.items():
            message = index[path.rsplit("/", 1)[-1]]
            for part in parts:
                if shown := hosts(part) & set(message["hosts"]):
                    live[message["name"]][program] = min(shown)
    for fault in faults:
        print(f"the machine: {fault}")
    fresh, stale = sorted(set(live) - known), sorted(known - set(live))
    print(f"mail: {len(index)} edited messages, {len(live) - len(fresh)} exceptions, {len(fresh)} alive")
    for name in fresh if "--all" in sys.argv else fresh[:40]:
        print(f"  {name}: {', '.join(f'{program} {host}' for program, host in sorted(live[name].items()))}")
    # Who did not answer may be whom the exception is for.
    for name in stale if not faults else []:
        print(f"  an exception that holds no more: {name}")
    return 1 if fresh or stale or faults else 0


if __name__ == "__main__":
    sys.exit(main())
