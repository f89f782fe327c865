"""Python's email package, by its old policy and its new one. Paths in, one JSON line a message out."""

import email
import email.policy
import json
import sys
import warnings

from decoding import decoded

warnings.filterwarnings("ignore")


def attempt(function, otherwise=None):
    try:
        return function()
    except Exception:  # noqa: BLE001 whatever the library trips over is its own reading: nothing
        return otherwise


def shown(part):
    payload = attempt(lambda: part.get_payload(decode=True))
    if payload is None:
        payload = part.get_payload()
        payload = payload.encode("utf-8", "surrogateescape") if isinstance(payload, str) else b""
    texts = [decoded(payload, attempt(part.get_content_charset))]
    if hasattr(part, "get_content") and part.get_content_maintype() == "text":
        content = attempt(part.get_content)
        if isinstance(content, str) and content not in texts:
            texts.append(content)
    name = attempt(part.get_filename) or ""
    return [{"type": part.get_content_type(), "name": name, "text": text} for text in texts]


def parts(message):
    leaves = (part for part in message.walk() if not part.is_multipart())
    return [one for part in leaves for one in shown(part)]


for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as file:
        whole = file.read()
    for program, policy in [("Python (compat32)", email.policy.compat32), ("Python (default)", email.policy.default)]:
        found = attempt(lambda: parts(email.message_from_bytes(whole, policy=policy)), [])
        print(json.dumps({"file": path, "program": program, "parts": found}))
