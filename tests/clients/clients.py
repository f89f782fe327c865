"""Reads a JSON array of texts; writes an object: client -> array of the links of each text."""
import html
import json
import re
import sys

import linkify_it
from bleach.linkifier import TLDS, Linker, build_email_re, build_url_re

more = json.loads(sys.argv[1])
tlds = sorted(set(TLDS) | set(more), reverse=True)
linker = Linker(parse_email=True, url_re=build_url_re(tlds), email_re=build_email_re(tlds))
pattern = linkify_it.LinkifyIt(options={"fuzzy_link": True, "fuzzy_email": True, "fuzzy_ip": True})
pattern.tlds(more, True)


def bleach(text):
    linked = linker.linkify(html.escape(text, quote=False))
    return [html.unescape(href) for href in re.findall(r'<a href="([^"]*)"', linked)]


def linkify_it_py(text):
    return [match.url for match in pattern.match(text) or []]


texts = json.load(sys.stdin)
json.dump({"bleach": [bleach(text) for text in texts], "linkify-it-py": [linkify_it_py(text) for text in texts]}, sys.stdout)
