"""Checked by mypy only: what the types promise."""

from uts58 import Check, Link, check, linkify, links

found: list[Link] = links("example.com")
start: int = found[0].start
href: str | None = found[0].href
judged: Check = check("example.com")
words: list[str] = judged.words
html: str = linkify("example.com", exceptions=("example.org",))
