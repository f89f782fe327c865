"""Links and mail addresses in text of every script, and judging hosts as a reader sees them."""

from ._native import Check, Link, check, linkify, links

__all__ = ["Check", "Link", "check", "linkify", "links"]
