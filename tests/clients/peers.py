"""Reads a JSON array of texts; writes an object: finder -> array of the links of each text, as they stand in it."""
import html
import json
import re
import sys

import linkify_it
from bleach.linkifier import Linker
from urlextract import URLExtract

linker = Linker(parse_email=True)
pattern = linkify_it.LinkifyIt(options={"fuzzy_link": True, "fuzzy_email": True, "fuzzy_ip": True})
extractor = URLExtract(extract_email=True, cache_dir=sys.prefix)


def bleach(text):
    linked = linker.linkify(html.escape(text, quote=False))
    return [html.unescape(shown) for shown in re.findall(r"<a [^>]*>(.*?)</a>", linked)]


def linkify_it_py(text):
    return [match.raw for match in pattern.match(text) or []]


FINDERS = {"bleach": bleach, "linkify-it-py": linkify_it_py, "urlextract": extractor.find_urls}
texts = json.load(sys.stdin)
json.dump({name: [find(text) for text in texts] for name, find in FINDERS.items()}, sys.stdout)
