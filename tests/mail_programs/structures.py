"""Classes in which programs split a message in different ways, or unwrap what others leave shut."""

import gzip
import zlib

from carriers import b64, html, part, raw, shown

BOUNDARIES = [
    # What the field says, how the first part is delimited, how the second is.
    ("; boundary=abc", "--abc", "--abc"), ('; boundary="abc"', "--abc", "--abc"), ("; boundary=abc def", "--abc", "--abc def"),
    ('; boundary="a\\bc"', "--abc", "--a\\bc"), ("; boundary*0=ab; boundary*2=c", "--abc", "--ab"),
    ("; boundary*0=ab; boundary*1=c", "--abc", "--abc"), ("; boundary*1=c; boundary*0=ab", "--abc", "--cab"),
    ("; boundary*=us-ascii'en'a%62c", "--abc", "--abc"), ("; boundary*0*=us-ascii''a%62; boundary*1=c", "--abc", "--abc"),
    ("; boundary=abc", "--abc", "\0--abc"), ("; boundary=abc", "--abc", "--abc\0"), ("; boundary=abc", "--abc", "\x0b--abc"),
    ("; boundary=abc", "--abc", "--abc\x0b"), ("; boundary=abc", "--abc", "--abcd"), ("; boundary=abcd", "--abcd", "--abc"),
    ("; boundary=abc", "--abc", "--abc  \t"), ("; boundary=abc", "--abc", " --abc"), ("; boundary=abc", "--abc", "--abc junk"),
    ("; boundary=abc", "--abc", "-- abc"), ("; boundary=abc", "--abc", "--ABC"), ("; boundary=abc", "--abc", "---abc"),
    ("; boundary=abc(x)", "--abc(x)", "--abc"), ("; boundary=(x)abc", "--(x)abc", "--abc"), ("; boundary=a(x)bc", "--a(x)bc", "--abc"),
    ("; boundary=a,b", "--a,b", "--a"), ("; boundary=a/b", "--a/b", "--a"), ("; boundary=a=b", "--a=b", "--a"),
    ("; boundary=a:b", "--a:b", "--a"), ("; boundary=a?b", "--a?b", "--a"), ("; boundary=a@b", "--a@b", "--a"),
    ("; boundary=a[b]", "--a[b]", "--a"), ("; boundary=<ab>", "--<ab>", "--ab"), ('; boundary="abc', "--abc", '--"abc'),
    ('; boundary=abc"', "--abc", '--abc"'), ("; boundary='abc'", "--'abc'", "--abc"), ('; boundary=""abc""', "--abc", "--"),
    ('; boundary="abc" def', "--abc", "--abc def"), ('; boundary="ab""c"', "--abc", "--ab"), ('; boundary="abc "', "--abc ", "--abc"),
    ('; boundary=" abc"', "-- abc", "--abc"), ("; boundary= abc", "--abc", "-- abc"), ("; boundary =abc", "--abc", "--x"),
    ("; boundary=abc; boundary=def", "--abc", "--def"), ("; boundary=abc; boundary=def; boundary=ghi", "--abc", "--ghi"),
    ("; Boundary=abc", "--abc", "--abc"), ("; boundary==?us-ascii?q?abc?=", "--=?us-ascii?q?abc?=", "--abc"),
    (" boundary=abc", "--x", "--abc"), (", boundary=abc", "--x", "--abc"), ("; bo(x)undary=abc", "--x", "--abc"),
    ("; x=\"; boundary=abc\"; boundary=def", "--abc", "--def"), ("; x=\"\\\"; boundary=abc; y=\"; boundary=def", "--def", "--abc"),
    ("; x=(; boundary=abc; ); boundary=def", "--def", "--abc"), ("; boundary=abc\0def", "--abc\0def", "--abc"),
    ("; boundary=\0abc", "--\0abc", "--abc"), ("; boundary=a\x0bbc", "--a\x0bbc", "--a"), ("; boundary=", "--x", "--y"), ("", "--x", "--y"),
    ('; boundary=""', "--", "--"), ("; boundary=äöü", "--äöü", "--äöü"), ("; boundary=" + "a" * 100, "--" + "a" * 100, "--" + "a" * 70),
    ('; boundary="a\r\n b"', "--a b", "--ab"), ("; boundary=abc;\r\n\tx=y", "--abc", "--abc"), ("; boundary\r\n =abc", "--abc", "--abc"),
    ("; boundary=abc;boundary*=utf-8''def", "--abc", "--def"), ("; boundary=--abc", "----abc", "--abc"),
    ('; boundary="abc--"', "--abc--", "--abc"), ("; boundary=abc--", "--abc--", "--abc--"), ("; boundary=%61bc", "--%61bc", "--abc"),
]

KINDS = ["mixed", "alternative", "related", "digest", "x-odd", "report", "parallel", ""]


def delimited(kind, parameters, first, second, body):
    fields = "Content-Type: text/plain\r\n\r\nHello"
    return (
        f"Content-Type: multipart/{kind}{parameters}\r\n\r\n{first}\r\n{fields}\r\n{second}\r\n"
    ).encode() + raw(body) + f"\r\n{second}--\r\n".encode()


def boundaries(kind, host):
    body = part(f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n", b64(shown(kind, host)))
    for index, (parameters, first, second) in enumerate(BOUNDARIES):
        for multipart in [KINDS[0], KINDS[1 + index % (len(KINDS) - 1)]]:
            yield delimited(multipart, parameters, first, second, body)


def delimiters(kind, host):
    """Line ends, and delimiters where nobody expects them."""
    head = f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64"
    digits = b64(shown(kind, host)).rstrip("\r\n")
    begin = "Content-Type: multipart/mixed; boundary=abc\r\n\r\n"
    for body in [
        f"--abc\r\nContent-Type: text/plain\r\n\r\nHello\r--abc\r{head}\r\r{digits}\r--abc--\r".replace("\r\nContent-Tr", "\rContent-Tr"),
        f"--abc\n\nHello\n--abc\n{head}\n\n{digits}\n--abc--\n".replace("\r\n", "\n"),
        f"--abc\r\n\r\nHello\n--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n",
        f"--abc\r\n\r\nHello\r\n--abc\n{head}\n\n{digits}\r\n--abc--\r\n",
        f"--abc\r\n\r\nHello\r\n--abc--\r\n--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n",
        f"--abc\r\n\r\nHello\r\n--abc--\r\n\r\n{head}\r\n\r\n{digits}\r\n",
        f"--abc\r\n\r\nHello\r\n--abc\r\n{head}\r\n\r\n{digits}\r\n",
        f"--abc\r\n{head}\r\n\r\n{digits}",
        f"{head}\r\n\r\n{digits}\r\n--abc\r\n\r\nhi\r\n--abc--\r\n",
        f"--abc\r\n{head}\r\n{digits}\r\n--abc--\r\n",
        f"--abc\r\n{head}\r\n \r\n{digits}\r\n--abc--\r\n",
        f"--abc{head}\r\n\r\n{digits}\r\n--abc--\r\n",
        f"--abc\r\n--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n",
        f"--abc\r\nContent-Type: multipart/mixed; boundary=abc\r\n\r\n--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n--abc--\r\n",
        f"--abc\r\nContent-Type: multipart/mixed; boundary=abcd\r\n\r\n--abcd\r\n{head}\r\n\r\n{digits}\r\n--abcd--\r\n--abc--\r\n",
        f"--abc\r\nContent-Type: multipart/mixed; boundary=ab\r\n\r\n--ab\r\n{head}\r\n\r\n{digits}\r\n--ab--\r\n--abc--\r\n",
        f"--abc\r\nContent-Type: message/rfc822\r\n\r\nContent-Type: multipart/mixed; boundary=abc\r\n\r\n--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n",
        f"--abc\r\nContent-Type: multipart/mixed; boundary=x\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        + b64(f"--x\r\n{head}\r\n\r\n{digits}\r\n--x--\r\n") + "--abc--\r\n",
        f"--abc\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" + b64("hi") + f"--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--",
        f"--abc\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nhi=\r\n--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--",
    ]:
        yield (begin + body).encode()
    yield (begin.replace("\r\n", "\r") + f"--abc\r{head}\r\r{digits}\r--abc--\r".replace("\r\n", "\r")).encode()
    yield (begin.replace("mixed", "digest") + f"--abc\r\n\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n").encode()
    yield (begin.replace("mixed", "digest") + f"--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n").encode()
    yield (
        "Content-Type: multipart/mixed; boundary=x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--x\r\n\r\nhi\r\n--b\r\n"
        f"Content-Type: multipart/mixed; boundary=y\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--y\r\n\r\nhi\r\n--c\r\n{head}\r\n\r\n"
        f"{digits}\r\n--c--\r\n--b--\r\n"
    ).encode()
    yield (f"Content-Type: multipart/mixed; boundary=abc\r\nContent-Transfer-Encoding: base64\r\n\r\n" + b64(f"--abc\r\n{head}\r\n\r\n{digits}\r\n--abc--\r\n")).encode()


def encrypted(kind, host):
    body = part(f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n", b64(shown(kind, host)))
    for parameters in ["; protocol=x", '; protocol="application/pgp-encrypted"', "", "; boundary=x; protocol=y"]:
        yield delimited("encrypted", f"; boundary=abc{parameters}", "--abc", "--abc", body)
        yield delimited("signed", f"; boundary=abc{parameters}; micalg=x", "--abc", "--abc", body)
    control = "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1"
    for label in ["application/octet-stream; name=a.html", "application/pgp-encrypted", "text/html", "application/x-html"]:
        inner = part(f"Content-Type: {label}\r\nContent-Transfer-Encoding: base64\r\n", b64(html(host)))
        yield (
            f"Content-Type: multipart/encrypted; boundary=abc\r\n\r\n--abc\r\n{control}\r\n--abc\r\n".encode() + inner + b"\r\n--abc--\r\n"
        )


def der(tag, *inside):
    inside = b"".join(inside)
    return bytes([tag, 0x84]) + len(inside).to_bytes(4, "big") + inside


def ber(tag, *inside):
    return bytes([tag, 0x80]) + b"".join(inside) + b"\0\0"


DATA = bytes.fromhex("06092a864886f70d010701")
SIGNED = bytes.fromhex("06092a864886f70d010702")
COMPRESSED = bytes.fromhex("060b2a864886f70d0109100109")
ZLIB = bytes.fromhex("060b2a864886f70d0109100308")


def pkcs7(content, wrap=der, compress=False):
    """ContentInfo of RFC 5652 §3: signed data without signers, or compressed data (RFC 3274)."""
    content = zlib.compress(content) if compress else content
    pieces = [der(4, content[at : at + 100]) for at in range(0, len(content), 100)]
    octets = der(4, content) if wrap is der else ber(0x24, *pieces)
    algorithm = der(0x30, ZLIB) if compress else der(0x31)
    fields = wrap(0x30, der(2, b"\1"), algorithm, wrap(0x30, DATA, wrap(0xA0, octets)))
    return wrap(0x30, COMPRESSED if compress else SIGNED, wrap(0xA0, fields))


def secure_mime(kind, host):
    inner = part(
        f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n", b64(shown(kind, host))
    )
    for wrap in [der, ber]:
        for compress in [False, True]:
            body = b64(pkcs7(inner, wrap, compress))
            for label in [
                "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m", "application/x-pkcs7-mime; name=smime.p7m",
                "application/pkcs7-mime; smime-type=compressed-data; name=smime.p7z", "application/octet-stream; name=smime.p7m",
            ]:
                yield part(f"Content-Type: {label}\r\nContent-Transfer-Encoding: base64\r\n", body)


def packed(kind, host):
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"><a href="https://{host}/login"><text y="20">click</text></a></svg>'
    body = b64(gzip.compress(picture.encode(), mtime=0))
    for fields in [
        'Content-Type: image/svg+xml; name="a.svgz"\r\n', "Content-Type: application/octet-stream; name=a.svgz\r\n",
        "Content-Type: image/svg+xml\r\nContent-Encoding: gzip\r\n", "Content-Type: image/svg+xml-compressed\r\n",
    ]:
        yield part(f"{fields}Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n", body)
