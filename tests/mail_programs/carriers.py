"""What the link stands in, and where the part stands: the words of the generator."""

import base64
import binascii
import quopri

# Each judges unsafe and is defanged: another script in part of a name, in all of it, in ASCII form.
HOSTS = ["раypal.com", "xn--ypal-43d9g.com", "gοοgle.com", "аррӏе.com"]

HEAD = (
    "From: Shop <news@shop.example>\r\nTo: reader@example.org\r\nSubject: Your receipt\r\n"
    "Date: Fri, 20 Nov 2026 09:00:00 +0000\r\nMessage-ID: <{}@shop.example>\r\nMIME-Version: 1.0\r\n"
)


def raw(text):
    """Text as bytes, where it is not bytes already."""
    return text.encode() if isinstance(text, str) else text


def html(host, escaped=False):
    if escaped:
        host = "".join(c if ord(c) < 128 else f"&#{ord(c)};" for c in host)
    return (
        '<html><body><p>Please confirm <a href="https://%s/login">your account</a> today.</p></body></html>\r\n'
        % host
    )


def text(host):
    return f"Hello,\r\n\r\nplease confirm your account at https://{host}/login today.\r\n"


def shown(kind, host):
    return html(host) if kind == "html" else text(host)


def b64(data, width=76):
    digits = base64.b64encode(raw(data)).decode()
    return "".join(digits[at : at + width] + "\r\n" for at in range(0, len(digits), width))


def qp(data):
    return quopri.encodestring(raw(data).replace(b"\r\n", b"\n")).decode().replace("\n", "\r\n")


def uu(data, name="a.html", length=None):
    """Lines by their length byte; `length` makes the byte say less than the line holds."""
    data = raw(data)
    lines = [f"begin 644 {name}"]
    for at in range(0, len(data), 45):
        lines.append(binascii.b2a_uu(data[at : at + 45]).decode().rstrip("\n"))
    lines += ["`", "end", ""]
    return "\r\n".join(lines)


def encode(data, transfer):
    return {"base64": b64, "quoted-printable": qp, "8bit": lambda plain: plain}[transfer](data)


def part(fields, body):
    """A part of its fields and its body; fields end with their line ends."""
    return raw(fields) + b"\r\n" + raw(body)


def mixed(inner, kind="mixed", boundary="outer"):
    return b"".join(
        [
            f"Content-Type: multipart/{kind}; boundary={boundary}\r\n\r\n".encode(),
            f"--{boundary}\r\nContent-Type: text/plain\r\n\r\nhi\r\n--{boundary}\r\n".encode(),
            inner,
            f"\r\n--{boundary}--\r\n".encode(),
        ]
    )


def forwarded(inner):
    return b"Content-Type: message/rfc822\r\n\r\nSubject: Fwd\r\nMIME-Version: 1.0\r\n" + inner


# Where a part stands.
PLACES = {
    "top": lambda inner: inner,
    "mixed": mixed,
    "alternative": lambda inner: mixed(inner, "alternative"),
    "forwarded": forwarded,
    "deep": lambda inner: mixed(forwarded(mixed(inner, "related", "inner"))),
}


def message(inner, number):
    return HEAD.format(number).encode() + inner
