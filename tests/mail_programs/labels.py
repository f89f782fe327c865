"""Classes in which labels say one thing to one program and another to the next."""

from carriers import b64, encode, html, part, raw, shown

TRANSFERS = [
    "(x) base64", "base64 (x)", "(a (b) c)base64", "base64(x)", "\0base64", "base64\0", "bas\0e64", '"base64"',
    "base64;", "base64; x=y", "base64, 8bit", "8bit, base64", "8bit base64", "base64 8bit", "=?us-ascii?q?base64?=",
    "=?utf-8?b?YmFzZTY0?=", "\x0bbase64", "base64\x0b", "base64\x0c", "\x7fbase64", "BASE64", "\tbase64\t",
    "'base64'", "base64.", "base64/x", "x-base64", "base-64", "b64", "\r\n base64", "\r\n\tbase64\r\n\t(x)", "base64=",
    "base64\\", "\\base64", "(\\)) base64", "(unclosed base64", "base64)", "<base64>", "base64:", "7bit\r\n base64",
]

TYPES = [
    "(x) text/{k}", "text/{k}(x)", "text(x)/{k}", "text/(x){k}", "text/{k}, charset=utf-8", "text/{k},", "\0text/{k}",
    "text/{k}\0", "te\x01xt/{k}", '"text/{k}"', '"text"/"{k}"', "'text/{k}'", "=?us-ascii?q?text/{k}?=",
    "text/{k}\x0b;x=y", "text/{k}; charset=(x)utf-8", "text/{k}; charset=utf-8(x)", "text /{k}", "text/ {k}",
    "TEXT/{K}", "text/{k} x", "text/{k}\x0c", "text/{k};;charset=utf-8", "text/{k}; =x", "text/{k} charset=utf-8",
    "text/{k}: x", "<text/{k}>", "text\\/{k}", "text/{k}/x", "\r\n text/{k}", "text\r\n /{k}", "text/{k};", "text/{k}=x",
    "text/{k}; charset", "; text/{k}", "text/{k} (", "(\\(x) text/{k}", "text/{k}; x=\"y", "text/{k}; x=y\"", "text/{k}\x80",
    "{k}", "text", "text/", "/{k}", "/",
]


def token_of_transfer(kind, host):
    for value in TRANSFERS:
        fields = f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: {value}\r\n"
        yield part(fields, b64(shown(kind, host)))


def token_of_type(kind, host):
    for value in TYPES:
        value = value.format(k=kind, K=kind.upper())
        fields = f"Content-Type: {value}\r\nContent-Transfer-Encoding: base64\r\n"
        yield part(raw(fields), b64(shown(kind, host)))


def odd_fields(kind, host):
    t, b = f"text/{kind}; charset=utf-8", "Content-Transfer-Encoding: base64\r\n"
    for fields in [
        f"Content-Type: image/png\r\nContent-Type: {t}\r\n{b}",
        f"Content-Type: {t}\r\nContent-Type: image/png\r\n{b}",
        f"Content-Type: image/png\r\nContent-Type: application/pdf\r\nContent-Type: {t}\r\n{b}",
        f"Content-Type : {t}\r\n{b}",
        f"Content-Type\t: {t}\r\n{b}",
        f"Content-Type: {t}\r\nContent-Transfer-Encoding : base64\r\n",
        f"Content-Type:\r\nContent-Type: {t}\r\n{b}",
        f"Content-Type: {t}\r\nContent-Type:\r\n{b}",
        f"Content-Type:{t}\r\nContent-Transfer-Encoding:base64\r\n",
        f"content-type: {t}\r\nCONTENT-TRANSFER-ENCODING: BASE64\r\n",
        f"Content-Type: {t}\r\nContent-Transfer-Encoding: 8bit\r\n{b}",
        f"Content-Type: {t}\r\n{b}Content-Transfer-Encoding: 8bit\r\n",
        f"Content-Type: {t}\r\nContent-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: 8bit\r\n{b}",
        f"Content-Type: {t}\r\nContent-Transfer-Encoding:\r\n{b}",
        f"Content-Type: {t}; x=y\r{b}",
        f"X-A: b\rContent-Type: {t}\r{b}",
        f"Content-Ty\0pe: {t}\r\n{b}",
        f"\0Content-Type: {t}\r\n{b}",
        f"Content-Type\0: {t}\r\n{b}",
        f"X-Odd\r\nContent-Type: {t}\r\n{b}",
        f"Content-Type: {t}\r\nno field at all\r\n{b}",
        f" Content-Type: {t}\r\n{b}",
        f"X-A: b\r\n \r\nContent-Type: {t}\r\n{b}",
        f"Content-Type: {t}\r\n \r\n{b}",
        f"Content-Type: {t}\n{b}",
        f"Content-Type: {t}\r\r\n{b}",
        f"Content-Type:\r\n {t}\r\n{b}",
        f"Content-Type:\r\n\r\n {t}\r\n{b}",
        f">Content-Type: {t}\r\n{b}",
        f"From nobody Fri Nov 20 09:00:00 2026\r\nContent-Type: {t}\r\n{b}",
        f"Mime-Version: 2.0\r\nContent-Type: {t}\r\n{b}",
        f"Content-Type: {t}\r\nContent-Transfer-Encoding: base64\r\nContent-Length: 3\r\nLines: 1\r\n",
        f"Content-type; {t}\r\nContent-Type: {t}\r\n{b}",
        f"Content_Type: {t}\r\n{b}",
    ]:
        yield part(fields, b64(shown(kind, host)))


NAMES = [
    "a.html", "a.htm", "a.shtml", "a.shtm", "a.xhtml", "a.xhtm", "a.xht", "a.HTML", "a.html.", "a.html ", "a.svg", "a.hta",
    "a.mht", "a.eml.html", "a.pdf.html", "../a.html", "C:\\a.html", "a\u202elmth.html", "a.html\t", "a.htm%00.pdf", "a.html;x",
]


def read_as_another_type(kind, host):
    body = b64(html(host))
    types = ["application/octet-stream", "text/plain", "application/pdf", "text/x-web", "image/png", "x/y", "text/xml", ""]
    for index, name in enumerate(NAMES):
        label = types[index % len(types)]
        yield part(f'Content-Type: {label}; name="{name}"\r\nContent-Transfer-Encoding: base64\r\n', body)
        yield part(
            f'Content-Type: {label}\r\nContent-Disposition: attachment; filename="{name}"\r\n'
            "Content-Transfer-Encoding: base64\r\n",
            body,
        )
    for parameter in [
        "filename*=utf-8''a.html", "filename*=utf-8''a%2Ehtml", "filename*0=a.; filename*1=html",
        "filename*0*=us-ascii'en'a%2E; filename*1=html", "filename=a.html", "filename=a b.html",
        "filename==?utf-8?q?a=2Ehtml?=", 'filename="=?utf-8?b?YS5odG1s?="', "filename*=iso-8859-1'de'a.html",
        "filename=a.txt; filename=a.html", "filename=a.txt; filename*=utf-8''a.html", "FILENAME=a.html", "filename =a.html",
    ]:
        yield part(
            f"Content-Type: application/octet-stream\r\nContent-Disposition: attachment; {parameter}\r\n"
            "Content-Transfer-Encoding: base64\r\n",
            body,
        )
    for label in [
        "text/x-web", "text/x-html", "application/xhtml+xml", "application/html", "image/svg+xml", "text/xml", "application/xml",
        "text/enriched", "text/richtext", "text/markdown", "text/rtf", "text/css", "text/x-amp-html", "text/watch-html",
        "application/x-html", "text/html-sandboxed", "text/vnd.wap.wml", "application/vnd.wap.xhtml+xml", "text/unknown",
        "unknown/unknown", "application/javascript", "text/javascript", "application/json",
    ]:
        yield part(
            f"Content-Type: {label}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n", b64(shown(kind, host))
        )


def attachments(kind, host):
    for disposition in [
        "attachment", "attachment; filename=a.html", "inline", "inline; filename=a.html", "x-odd", "", "attachment;", "(x) inline",
        "form-data; name=a", "notification", "attachment, inline", "\0attachment",
    ]:
        for transfer in ["base64", "quoted-printable", "8bit"]:
            fields = (
                f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Disposition: {disposition}\r\n"
                f"Content-Transfer-Encoding: {transfer}\r\n"
            )
            yield part(fields, encode(shown(kind, host), transfer))


def messages(kind, host):
    inner = (
        f"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/{kind}; charset=utf-8\r\n"
        f"Content-Transfer-Encoding: base64\r\n\r\n{b64(shown(kind, host))}"
    )
    for fields in [
        "message/rfc822", "message/x-odd", "message/partial; id=a; number=1; total=1", "message/external-body; access-type=x",
        "message/", "message", "message/global", "message/news", "message/RFC822", "message/rfc822; x", "message/delivery-status",
        "message/rfc822-headers", "text/rfc822", "text/rfc822-headers", "application/octet-stream; name=a.eml",
        "application/octet-stream; name=a.mht", "application/x-mimearchive; name=a.mht", "multipart/related; name=a.mhtml",
        "application/mbox; name=a.mbox", "application/vnd.ms-outlook; name=a.eml", "message/disposition-notification",
        "(x) message/rfc822", "message/(x)rfc822", "\"message/rfc822\"",
    ]:
        yield part(f"Content-Type: {fields}\r\n", inner)
        yield part(f"Content-Type: {fields}\r\nContent-Transfer-Encoding: base64\r\n", b64(inner))
        yield part(f"Content-Type: {fields}\r\nContent-Transfer-Encoding: quoted-printable\r\n", inner.replace("=", "=3D"))
