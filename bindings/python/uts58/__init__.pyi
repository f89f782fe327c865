from collections.abc import Iterable
from typing import Literal, final

__all__ = ["Check", "Link", "check", "linkify", "links"]

Verdict = Literal["ok", "notice", "suspect", "unsafe", "invalid"]
Kind = Literal["scheme", "www", "bare", "email"]

@final
class Link:
    """A link of a text, judged. Offsets count code points, as those of a slice."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str:
        """As it stands in the text."""
    @property
    def kind(self) -> Kind: ...
    @property
    def host(self) -> str:
        """As spelled."""
    @property
    def ascii(self) -> str | None:
        """The host in A-label form; None if it has none."""
    @property
    def unicode(self) -> str | None:
        """The host in U-label form; None if it has none."""
    @property
    def href(self) -> str | None:
        """The URL, ASCII only; None if the host has no ASCII form."""
    @property
    def linked(self) -> bool:
        """Whether linkify makes an anchor of it."""
    @property
    def verdict(self) -> Verdict:
        """The worst of any bounds that a program may give the link."""
    @property
    def reasons(self) -> list[str]: ...
    @property
    def target(self) -> str | None:
        """The well-known name that it reads as."""

@final
class Check:
    """What was found of a host, a URL or a mail address."""

    @property
    def verdict(self) -> Verdict: ...
    @property
    def reasons(self) -> list[str]: ...
    @property
    def ascii(self) -> str:
        """The host in A-label form; empty if there is none."""
    @property
    def unicode(self) -> str:
        """The host in U-label form; empty if there is none."""
    @property
    def target(self) -> str | None:
        """The well-known name that it reads as."""
    @property
    def words(self) -> list[str]:
        """The judgement in words."""

def links(text: str) -> list[Link]:
    """Every link and mail address of a text, in order, judged."""

def linkify(text: str, exceptions: Iterable[str] | None = None) -> str:
    """The text as HTML: markup characters escaped, links in anchors, but none of what may deceive.

    What stands in exceptions stays text: a link as it is spelled, or its host.
    """

def check(target: str) -> Check:
    """Judges a host, a URL or a mail address as a reader would see it."""
