"""Further messages of every class: what a stranger tried who knew the readings and none of the tests."""

import base64
import binascii
import subprocess
import zlib

from carriers import b64, html, part, qp, raw, shown, text, uu

# What names of charsets are there, by who decodes them.
PYTHON = [
    "cp720", "cp737", "cp855", "cp866", "cp869", "cp1125", "cp1253", "cp1256", "cp65001", "cp875", "cp1006", "koi8_r", "koi8_t", "koi8_u", "kz1048",
    "mac_cyrillic", "mac_greek", "ptcp154", "iso8859_5", "iso8859_7", "gb2312", "gbk", "gb18030", "big5", "cp950", "euc_jis_2004", "euc_jisx0213",
    "shift_jis_2004", "shift_jisx0213", "cp932", "johab", "cp949", "utf_8_sig", "utf_7", "utf_16", "utf_32", "utf_16_be", "utf_32_le", "iso2022_jp_1",
    "iso2022_jp_2004", "iso2022_kr", "hz",
]
ICONV = [
    "CP1125", "RUSCII", "CP771", "CP772", "CP773", "CP774", "IBM855", "IBM866", "IBM866NAV", "KOI8-T", "KOI8-RU", "KOI-8", "ECMA-CYRILLIC", "INIS-CYRILLIC",
    "ISO_5427", "ISO_5427-EXT", "ISO-IR-111", "ISO-IR-153", "ISO-IR-37", "GOST_19768-74", "MIK", "PT154", "RK1048", "MACCYRILLIC", "MAC-CYRILLIC", "MACUKRAINIAN",
    "MAC-UK", "GREEK-CCITT", "GREEK7", "GREEK7-OLD", "ISO_5428", "IBM869", "IBM851", "CP737", "CP1124", "CP1025", "IBM880", "IBM1025", "IBM1123", "IBM1158", "CP1154",
    "EBCDIC-CYRILLIC", "EBCDIC-GREEK", "IBM423", "IBM875", "IBM4971", "IBM9030", "UTF-16", "UTF16LE", "UCS2", "UCS-2LE", "UCS-2-INTERNAL", "UCS-4", "UCS4BE",
    "WCHAR_T", "UNICODELITTLE", "UNICODEBIG", "UNICODE", "ISO-10646/UCS2", "ISO-10646/UTF8", "OSF05010001", "10646-1:1993", "CESU-8", "UTF-8-MAC", "JAVA",
    "EUC-TW", "EUC-JP-MS", "EUC-JISX0213", "SHIFT_JISX0213", "SJIS", "IBM943", "IBM932", "IBM939", "IBM930", "IBM933", "IBM935", "IBM937", "BIG5-HKSCS", "CP950",
    "GB18030", "GBK", "EUC-CN", "EUC-KR", "UHC", "JOHAB", "ISO-2022-CN-EXT", "ISO-2022-CN", "ISO-2022-JP-3", "ISO-2022-JP-2", "ISO-2022-KR", "T.61", "ANSI_X3.110",
    "ARMSCII-8", "GEORGIAN-PS", "TSCII", "VISCII", "TCVN", "HP-GREEK8", "HP-ROMAN9",
]
HOSTS = ["раypal.com", "gοοgle.com", "аррӏе.com"]


def encoded(name, shown_):
    """The first host that a charset can write, by Python or by glibc."""
    for host in HOSTS:
        content = shown_(host)
        try:
            return content.encode(name)
        except (LookupError, UnicodeEncodeError):
            pass
        run = subprocess.run(["iconv", "-f", "UTF-8", "-t", name], input=content.encode(), capture_output=True, check=False)
        if run.returncode == 0 and run.stdout:
            return run.stdout
    return None


def charsets(kind, host):
    for name in dict.fromkeys(PYTHON + ICONV):
        content = encoded(name, lambda host: shown(kind, host))
        if content is None:
            continue
        for label in [name, f'"x-{name}"']:
            yield part(f"Content-Type: text/{kind}; charset={label}\r\nContent-Transfer-Encoding: base64\r\n", b64(content))
    for name in ["cp1251", "koi8-r", "cp866", "iso8859-5", "utf-16-le", "utf-16-be", "utf-32-be", "utf-7"]:
        content = encoded(name, lambda host: shown(kind, host))
        # Nothing that names it, or what names another one.
        for label in ["", "; charset=us-ascii", "; charset=x-user-defined", "; charset=iso-8859-1", "; charset=ansi", "; charset=unicode-1-1", "; charset=8bit", "; charset=utf-8"]:
            yield part(f"Content-Type: text/{kind}{label}\r\nContent-Transfer-Encoding: base64\r\n", b64(content))
    mixed = "see https://раypal.com/ now\r\n".encode() + "Grüße\r\n".encode("latin-1")
    yield part(f"Content-Type: text/{kind}\r\nContent-Transfer-Encoding: 8bit\r\n", mixed)
    yield part(f"Content-Type: text/{kind}; charset=us-ascii\r\nContent-Transfer-Encoding: quoted-printable\r\n", qp(mixed))


def labels(kind, host):
    t = f"text/{kind}"
    b = "Content-Transfer-Encoding: base64\r\n"
    c = f"Content-Type: {t}\r\n"
    body = b64(shown(kind, host))
    for fields in [
        f"{c}Content-Transfer-Encoding: base\r\n 64\r\n", f"{c}Content-Transfer-Encoding:\r\n\tbase64\r\n", f"{c}Content-Transfer-Encoding: base64\r\n\t\r\n",
        f"{c}Content-Transfer-Encoding: base64\u00a0\r\n", f"{c}Content-Transfer-Encoding: \u3000base64\r\n", f"{c}Content-Transfer-Encoding: \uff42ase64\r\n",
        f"{c}Content-Transfer-Encoding: base64; x=y\r\n", f"{c}Content-Transfer-Encoding: x/base64\r\n", f"{c}Content-Transfer-Encoding: base64/x\r\n",
        f"{c}Content-Transfer-Encoding: base64.\r\n", f"{c}Content-Transfer-Encoding: <base64>\r\n", f"{c}Content-Transfer-Encoding: =62ase64\r\n",
        f"{c}Content-Transfer-Encoding: \ufeffbase64\r\n", f"{c}Content-Transfer-Encoding: base64\x85\r\n", f"{c}Content-Transfer-Encoding: base64\x1c8bit\r\n",
        f"{c}Content-Transfer-Encoding*: us-ascii''base64\r\n", f"{c}Content-Transfer-Encoding*0: base64\r\n", f"{c}Content-Encoding: base64\r\n",
        f"{c}X-Content-Transfer-Encoding: base64\r\n", f"{c}Content-Transfer-Encoding : base64\r\n", f"{c}Content-Transfer-Encoding\t:base64\r\n",
        f"{c}Content-Transfer-Encoding\x0b: base64\r\n", f"{c}Content-Transfer-Encoding\u00a0: base64\r\n", f"{c}Content-Transfer-Encoding\u00ad: base64\r\n",
        f"{c}\ufeffContent-Transfer-Encoding: base64\r\n", f"\ufeffContent-Type: {t}\r\n{b}", f" Content-Type: {t}\r\n{b}", f"\tContent-Type: {t}\r\n{b}",
        f"Content-\r\n Type: {t}\r\n{b}", f"Content-Type\r\n : {t}\r\n{b}", f"Content-Type\uff1a {t}\r\n{b}", f"Content-Type= {t}\r\n{b}",
        f"Content-Type: {t}\u2028{b}", f"Content-Type: {t}\x85{b}", f"Content-Type: {t}\x1e{b}", f"Content-Type: {t}\n\r{b}", f"Content-Type: {t}\r\r\n{b}",
        f"X: {'x' * 70000}\r\nContent-Type: {t}\r\n{b}", "".join(f"X-{n}: y\r\n" for n in range(3000)) + f"Content-Type: {t}\r\n{b}",
        f"X-A: b\r\n {'y' * 20000}\r\nContent-Type: {t}\r\n{b}", f"Content-Type: {t};" + " x=y;" * 500 + f"\r\n{b}",
        "".join(f"Content-Type: image/x{n}\r\n" for n in range(9)) + f"Content-Type: {t}\r\n{b}", "".join(f"Content-Transfer-Encoding: x{n}\r\n" for n in range(9)) + c + b,
        f"Content-Type: text//{kind}\r\n{b}", f"Content-Type: text/{kind}/x\r\n{b}", f"Content-Type: {t}?x\r\n{b}", f"Content-Type: text/\r\n {kind}\r\n{b}",
        f"Content-Type: text\\/{kind}\r\n{b}", f"Content-Type: {t}%20\r\n{b}", f"Content-Type: t=?us-ascii?q?ext?=/{kind}\r\n{b}", f"Content-Type: {kind}\r\n{b}",
        f"Content-Type: text/.{kind}\r\n{b}", f"Content-Type: {t}.\r\n{b}", f"Content-Type: {t}\u00a0; x=y\r\n{b}", f"Content-Type: \uff54ext/{kind}\r\n{b}",
        f"Content-Type: text/plain Content-Type: {t}\r\n{b}", f"Content-Type: text/plain; text/{kind}\r\n{b}", f"Content-Type: text/plain/{t}\r\n{b}",
        f"Content-Type: image/png; {t}\r\n{b}", f"Content-Type: application/octet-stream; type=\"{t}\"\r\n{b}", f"Content-Type: multipart/mixed\r\n{c}{b}",
        f"Content-Type: {t}; boundary=abc\r\n{b}", f"Content-Type: message/{kind}\r\n{b}", f"Content-Type: application/{kind}\r\n{b}", f"Content-Type: model/{kind}\r\n{b}",
        f"Content-Type: {t}; version=1.0; profile=\"(\"\r\n{b}", f"Content-Type: {t}; x=\"\r\n{b}", f"Content-Type: {t}; =;;=\r\n{b}", f"Content-Type:{t}\r\n{b[:-2]} \r\n",
        f"Mime-Version: 1.0 (x)\r\n{c}{b}", f"Mime-Version:\r\n{c}{b}", f"{c}Content-Disposition: attachment; filename=a.pdf\r\nContent-Disposition: inline\r\n{b}",
        f"Content-Type: application/pdf; name=a.pdf\r\nContent-Disposition: inline; filename=a.html\r\n{b}", f"Content-Type: application/msword; name=a.doc\r\n{b}",
        f"Content-Type: application/vnd.ms-excel; name=a.xls\r\n{b}", f"Content-Type: image/gif; name=a.gif\r\n{b}", f"Content-Type: audio/x-wav; name=a.html\r\n{b}",
        f"Content-Type: application/octet-stream; name*0=a.h; name*1=tml\r\n{b}", f"Content-Type: application/octet-stream; name*=utf-16''%00a%00.%00h%00t%00m%00l\r\n{b}",
        f"Content-Type: application/octet-stream\r\nContent-Disposition: filename=a.html\r\n{b}", f"Content-Type: application/octet-stream\r\nContent-Location: a.html\r\n{b}",
        f"Content-Type: application/octet-stream\r\nContent-Description: a.html\r\n{b}", f"Content-Type: application/x-zip; x-mac-type=54455854; name=a.html\r\n{b}",
    ]:
        yield part(fields, body)


def structures(kind, host):
    head = f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64"
    inner = f"{head}\r\n\r\n{b64(shown(kind, host))}"
    m = "Content-Type: multipart/mixed; boundary="
    for long in [69, 70, 71, 100, 127, 128, 200, 255, 256, 511, 512, 998, 1023, 1500, 4000]:
        name = "b" * long
        yield f"{m}{name}\r\n\r\n--{name}\r\n{inner}\r\n--{name}--\r\n".encode()
        yield f"{m}{name}c\r\n\r\n--{name}d\r\n{inner}\r\n--{name}d--\r\n".encode()
    for body in [
        f"{m}abc\r\n\r\n--abc\r\n{m}\"abc--\"\r\n\r\n--abc--\r\n{inner}\r\n--abc----\r\n", f"{m}abc\r\n\r\n\x0c--abc\r\n{inner}\r\n--abc--\r\n",
        f"{m}abc\r\n\r\n\ufeff--abc\r\n{inner}\r\n--abc--\r\n", f"{m}abc\r\n\r\n--abc\r\r\n{inner}\r\n--abc--\r\n", f"{m}abc\r\n\r\n--abc\r\n\r\n\r\n{inner}\r\n--abc--\r\n",
        f"{m}abc\r\n\r\n--abc\u00a0\r\n{inner}\r\n--abc--\r\n", f"{m}abc\r\n\r\n--abc;\r\n{inner}\r\n--abc--\r\n", f"{m}abc\r\n\r\n--abc(x)\r\n{inner}\r\n--abc--\r\n",
        f"{m}abc\r\n\r\n>--abc\r\n{inner}\r\n--abc--\r\n", f"{m}abc\r\n\r\n- --abc\r\n{inner}\r\n- --abc--\r\n", f"{m}abc\r\n\r\n=2D-abc\r\n{inner}\r\n=2D-abc--\r\n",
        f"{m}abc\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=2D-abc\r\n{inner.replace('=', '=3D')}\r\n=2D-abc--\r\n",
        f"{m}abc\r\nContent-Transfer-Encoding: x-uuencode\r\n\r\n{uu(f'--abc{chr(13)}{chr(10)}{inner}{chr(13)}{chr(10)}--abc--', 'x')}",
        f"{m}abc; charset=utf-16\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: multipart\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/form-data; boundary=abc\r\n\r\n--abc\r\nContent-Disposition: form-data; name=a\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/x-mixed-replace; boundary=abc\r\n\r\n--abc\r\n\r\nhi\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/byteranges; boundary=abc\r\n\r\n--abc\r\nContent-Range: bytes 0-9/9\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/appledouble; boundary=abc\r\n\r\n--abc\r\nContent-Type: application/applefile\r\n\r\nx\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/fax-message; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: text/html; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: text/plain; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: application/octet-stream; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: message/multipart; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: multipart/; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: MULTIPART/MIXED; BOUNDARY=\"ABC\"\r\n\r\n--ABC\r\n{inner}\r\n--ABC--\r\n", f"Content-Type: multipart/mixed boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/mixed;; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: multipart/mixed; x; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/mixed; x=y z; boundary=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: multipart/mixed; boundary=abc\x1cd\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/mixed; boundary=\"abc\r\n\"\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: multipart/mixed; boundary=\xa0abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/mixed; boundary=a%62c\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: multipart/mixed; boundary=\"a=?us-ascii?q?b?=c\"\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/mixed; boundary*0*=us-ascii''ab; boundary*1*=%63\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/mixed; boundary*00=ab; boundary*01=c\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n", f"Content-Type: multipart/mixed; boundary*=abc\r\n\r\n--abc\r\n{inner}\r\n--abc--\r\n",
        f"Content-Type: multipart/mixed; boundary='abc\r\n\r\n--'abc\r\n{inner}\r\n--'abc--\r\n", f"Content-Type: multipart/alternative; boundary=abc\r\n\r\n--abc--\r\n{inner}\r\n",
    ]:
        yield body.encode()
    armor = "-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n- see https://{}/ now\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\nx\r\n-----END PGP SIGNATURE-----\r\n"
    yield part("Content-Type: text/plain; charset=utf-8\r\n", armor.format(host))
    literal = b"\xcb" + bytes([len(shown("plain", host).encode()) + 6]) + b"u\0\0\0\0\0" + shown("plain", host).encode()
    message = f"-----BEGIN PGP MESSAGE-----\r\n\r\n{b64(literal)}-----END PGP MESSAGE-----\r\n"
    yield part("Content-Type: text/plain; charset=utf-8\r\n", message)
    control = "Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=abc\r\n\r\n--abc\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--abc\r\n"
    yield f"{control}Content-Type: application/octet-stream\r\n\r\n{message}--abc--\r\n".encode()
    yield f"{control}{inner}\r\n--abc--\r\n".encode()
    for depth in [5, 20, 60]:
        deep = inner
        for level in range(depth):
            deep = f"{m}d{level}\r\n\r\n--d{level}\r\n{deep}\r\n--d{level}--\r\n"
        yield deep.encode()
        deep = inner
        for level in range(depth):
            deep = f"Content-Type: message/rfc822\r\n\r\nSubject: {level}\r\n{deep}"
        yield deep.encode()
    wrapped = inner
    for _ in range(4):
        wrapped = f"Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{b64(wrapped)}"
        yield wrapped.encode()


def binhex(data):
    """RFC 1741 without its checks: header, data, resources."""
    content = raw(data)
    header = b"\x06a.html\0TEXTttxt\0\0" + len(content).to_bytes(4, "big") + bytes(4)
    stream = header + binascii.crc_hqx(header, 0).to_bytes(2, "big") + content + binascii.crc_hqx(content, 0).to_bytes(2, "big") + bytes(2)
    stream = stream.replace(b"\x90", b"\x90\0")
    digits = "!\"#$%&'()*+,-012345689@ABCDEFGHIJKLMNPQRSTUVXYZ[`abcdefhijklmpqr"
    bits = "".join(f"{byte:08b}" for byte in stream)
    coded = "".join(digits[int(bits[at : at + 6].ljust(6, "0"), 2)] for at in range(0, len(bits), 6))
    lines = "\r\n".join(f":{coded}:"[at : at + 64] for at in range(0, len(coded) + 2, 64))
    return f"(This file must be converted with BinHex 4.0)\r\n\r\n{lines}\r\n"


def transfers(kind, host):
    content = shown(kind, host)
    bare = b64(content).replace("\r\n", "")
    for body in [
        "\r\n".join("> " + line for line in b64(content).split("\r\n")), "\r\n".join(bare[at : at + 1] for at in range(len(bare))), bare[:20] + "\u00a0" + bare[20:],
        bare[:20] + "\xff\xfe" + bare[20:], bare[:20] + "&#10;" + bare[20:], bare[:20] + "=0A" + bare[20:], bare[:20] + "%0A" + bare[20:], bare[:20] + "....." + bare[20:],
        bare[:21] + "=" * 3 + bare[21:], bare[:22] + "=\r\n=\r\n" + bare[22:], bare[:24] + "\r\n-- \r\n" + bare[24:], "\r\n" * 50 + bare, " " * 2000 + bare, bare[:-1],
        "Content-Type: x/y\r\n\r\n" + bare, "begin 644 a.html\r\n" + bare, base64.b64encode(content[:1].encode()).decode() + base64.b64encode(content[1:].encode()).decode(),
        "".join(base64.b64encode(byte.encode()).decode() for byte in content), "".join(base64.b64encode(byte.encode()).decode() + "\r\n" for byte in content),
        base64.b32encode(content.encode()).decode(), base64.a85encode(content.encode()).decode(), content.encode().hex(), bare.swapcase(), f"{bare}\r\n{b64('bye')}",
        b64(b64(content)), b64(zlib.compress(content.encode())),
    ]:
        yield part(f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n", body)
    whole = qp(content)
    name = "".join(f"={byte:02X}" for byte in host.encode())
    for body in [
        whole.replace("=D", "=\u00a0D"), whole.replace("=D1", "=\tD1"), whole.replace("=D1", "=0D1"), whole.replace("=D1", "=D1\x00"), whole.replace("=", "=\x0b"),
        whole.replace("=", "\uff1d"), whole.replace("=D1", "=d1").replace("=80", "=8 0"), f"https://{name[:4]}=\r\n\r\n{name[4:]}/\r\n", f"https://{name[:6]}=\r\n> {name[6:]}/\r\n",
        f"https://{name[:3]}=\n\r{name[3:]}/\r\n", f"https://{name}=", f"https://{name}/=\r\n", f"https://{name[:6]}= \t \r\n{name[6:]}/\r\n", f"https://{name[:6]}=\x0c\r\n{name[6:]}/\r\n",
        f"https://{name[:6]}=\u0085{name[6:]}/\r\n", f"https://{name[:6]}_{name[6:]}/\r\n", f"=?utf-8?q?https://{name}/?=\r\n", f"https://{name.replace('=', '=3D')}/\r\n",
        f"https://{name.replace('=', '%')}/\r\n", f"see https=3A=2F=2F{name}=2F now=2E\r\n", f"see ht=\r\nt=\r\nps:/=\r\n/{name}/\r\n", "x" * 2000 + f" https://{name}/\r\n",
    ]:
        page = body if kind == "plain" else f"<p>{body}</p>"
        yield part(f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n", page)
    page = html(host)
    for body in [
        uu(page).replace("begin 644", "begin-base64 644"), f"table\r\n{uu(page)}", uu(page).replace("begin 644 a.html", "begin 644 =?utf-8?q?a.html?="), binhex(page),
        "\r\n".join("> " + line for line in uu(page).split("\r\n")), "\r\n".join(" " + line for line in uu(page).split("\r\n")), uu(uu(page)), uu(page).replace("begin", "BEGIN"),
        uu(page).replace("\r\n`\r\n", "\r\n"), uu(page).replace("end\r\n", "END\r\n"), f"-----\r\n{uu(page)}", uu(page)[: len(uu(page)) // 2] + uu(page)[len(uu(page)) // 2 :],
        f"begin-base64 644 a.html\r\n{b64(page)}====\r\n", f"=ybegin part=1 line=128 size=9 name=a.html\r\n=ypart begin=1 end=9\r\n{page}\r\n=yend size=9\r\n",
    ]:
        for fields in ["Content-Type: text/plain\r\n", "Content-Type: text/html\r\nContent-Transfer-Encoding: mac-binhex40\r\n", "Content-Type: application/octet-stream; name=a.html\r\nContent-Transfer-Encoding: x-uuencode\r\n"]:
            yield part(fields, body)


def running_text(kind, host):
    first, rest = host.split(".", 1)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in "https://")
    for url in [
        f"https://{first}\u3002{rest}", f"https://{first}\uff0e{rest}", f"https://{first}\uff61{rest}", f"https://{first}\u2024{rest}", f"{wide}{host}/", f"https\uff1a//{host}/",
        f"https:\uff0f\uff0f{host}/", f"https://\u200e{host}/", f"https://{first}\u200b.{rest}/", f"https://{first}\u2060.{rest}", f"https://{first}.\u00ad{rest}", f"https://{host}\u202e/x",
        f"https://a:b:c@{host}", f"https://example.com\\@{host}", f"https://example.com#@{host}", f"https://example.com%2f@{host}", f"https://example.com?@{host}/", f"https://[{host}]/",
        f"https://{host}:99999/", f"https://{host}:x/", f"https://{host}..", f"https://{host}\u2026", f"https://.{host}", f"https://-{host}", f"https://_{host}", f"https://{host}'s", f"https://{host}\u2019s",
        f"<URL:https://{host}/>", f"[a](https://{host}/)", f"[https://{host}/|x]", f"{{https://{host}}}", f"https://{host},x", f"https://{host};x", f"https://{host}|x", f"https://{host}*", f"https://{host}~x",
        f"https://{host}^", f"https://{host}`", f"https://{host}=x", f"https://{host}&x", f"https://{host}+x", f"https://{host}$", f"https://{host}!", f"xhttps://{host}", f"-https://{host}", f"1https://{host}",
        f"https://https://{host}", f"https://https:{host}", f"http://www.https://{host}", f"ftps://{host}", f"sftp://{host}/", f"webcal://{host}/", f"feed:https://{host}/", f"view-source:https://{host}/",
        f"microsoft-edge:https://{host}/", f"intent://{host}/#Intent;scheme=https;end", f"googlechrome://navigate?url=https://{host}/", f"itms-services://?url=https://{host}/", f"ms-appinstaller:?source=https://{host}/",
        f"tel:1;x=https://{host}/", f"news://{host}/", f"nntp://{host}/", f"gopher://{host}/", f"ldap://{host}/", f"irc://{host}/", f"rtsp://{host}/", f"telnet://{host}/", f"imap://{host}/", f"wss://{host}/",
        f"WWW.{host}", f"wWw.{host}", f"www.{host}.", f"ftp.{host}", f"www.\u200b{host}", f"www\u3002{host}", f"mailto:{host}", f"mailto://a@{host}", f"MAILTO:a@{host}", f"a.b+c@{host}", f"\"a b\"@{host}", f"a@b@{host}",
        f"https://{host}\u00a0x", f"https://{host}\u2003x", f"https://{host}\u180ex", f"https://{host}\x1fx", f"https://{host}\x7fx", f"https://{host}\ufffdx", f"https://{host}\U000e0001x", f"https://{host}\U0001f600x",
        f"https://{''.join('%%%02X' % byte for byte in host.encode())}/", f"https://{''.join('%%25%02X' % byte for byte in host.encode())}/", f"https://{host.upper()}/", f"h\u0442tps://{host}", f"https://{host}\t.com",
        f"https:\u2215\u2215{host}", f"https:/ /{host}", f"https:// {host}", f"https://\n{host}", f"https ://{host}",
    ]:
        yield part("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", f"Hello,\r\n\r\nsee {url} now.\r\n")
        page = f"<html><body><p>Hello, see {url.replace('<', '&lt;').replace('>', '&gt;')} now.</p></body></html>"
        yield part("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", page)


def markup(kind, host):
    u = f"https://{host}/login"
    for page in [
        f"<a href='https://{host}&nbsp;'>x</a>", f"<a href=\"&#x68;&#116;tps:{u[6:]}\">x</a>", f"<a href='blob:{u}'>x</a>", f"<a href='filesystem:{u}'>x</a>", f"<a href='view-source:{u}'>x</a>",
        f"<a href='jar:{u}!/x'>x</a>", f"<a href='feed:{u}'>x</a>", f"<a href='url:{u}'>x</a>", f"<a href='<{u}>'>x</a>", f"<a href='&lt;{u}&gt;'>x</a>", f"<a href='\"{u}\"'>x</a>", f"<a href='x {u}'>x</a>",
        f"<a href='http://{u}'>x</a>", f"<a href='https:///{host}/'>x</a>", f"<a href='https:/\\{host}/'>x</a>", f"<a href='/\\{host}/'>x</a>", f"<a href='\\/{host}/'>x</a>", f"<a href='/\t/{host}/'>x</a>",
        f"<a href='https://a@{host}:443/'>x</a>", f"<a href='https://example.com\\@{host}/'>x</a>", f"<a href='{u}' download>x</a>", f"<a ping='{u}' href='https://example.com/'>x</a>", f"<a href\n=\n\"{u}\">x</a>",
        f"<a \"href={u}>x</a>", f"<a =href={u}>x</a>", f"<a x=\"\"href=\"{u}\">x</a>", f"<a x='>' href={u}>x</a>", f"<a href={u}/>x</a>", f"<a href={u}", f"<a\x0bhref={u}>x</a>", f"<a\u00a0href={u}>x</a>",
        f"<\u00ada href={u}>x</a>", f"<a href=\x00{u}>x</a>", f"<a href={u}\x00>x</a>", f"< a href={u}>x</a>", f"<!a href={u}>x</a>", f"<?a href={u}>x</a>", f"</a href={u}>x</a>", f"<a:b href={u}>x</a:b>",
        f"<x:a xmlns:x='http://www.w3.org/1999/xhtml' href='{u}'>x</x:a>", f"<image xlink:href='{u}'>", f"<svg><use href='{u}#a'/></svg>", f"<svg><feImage href='{u}'/></svg>", f"<svg><script href='{u}'/></svg>",
        f"<svg><foreignObject><a href='{u}'>x</a></foreignObject></svg>", f"<svg><style>a{{background:url({u})}}</style></svg>", f"<math><maction actiontype='statusline' xlink:href='{u}'>x</maction></math>",
        f"<link rel=stylesheet href='{u}'>", f"<style>@import '{u}';</style>", f"<style>a{{background:u\\72l({u})}}</style>", f"<p style='background:url({u})'>x</p>", f"<p style=\"background:&quot;{u}&quot;\">x</p>",
        f"<table background='{u}'><tr><td>x</table>", f"<body background='{u}'>x", f"<img src=x longdesc='{u}'>", f"<img srcset='x 1x, {u} 2x'>", f"<picture><source srcset='{u}'></picture>", f"<video poster='{u}'></video>",
        f"<audio src='{u}'></audio>", f"<input type=image src='{u}'>", f"<isindex action='{u}'>", f"<applet codebase='{u}' code=x></applet>", f"<object><param name=movie value='{u}'></object>", f"<embed src='{u}'>",
        f"<map><area href='{u}' alt=x></map><img usemap=#x>", f"<blockquote cite='{u}'>x</blockquote>", f"<frameset><frame src='{u}'></frameset>", f"<portal src='{u}'></portal>", f"<a href=x onclick='location=\"{u}\"'>x</a>",
        f"<meta http-equiv=Refresh content='0; {u}'>", f"<meta http-equiv=Link content='<{u}>; rel=stylesheet'>", f"<meta property=og:url content='{u}'>", f"<base href='{u}'><a>x</a>", f"<base href='{u}'><a href=x>y</a>",
        f"<button onclick='window.open(\"{u}\")'>x</button>", f"<script type='application/ld+json'>{{\"url\":\"{u}\"}}</script>", f"<script>document.write('<a href={u}>x</a>')</script>", f"<noembed><a href={u}>x</a></noembed>",
        f"<listing><a href={u}>x</a></listing>", f"<select><option><a href={u}>x</a></select>", f"<noframes><a href={u}>x</a></noframes>", f"<dialog open><a href={u}>x</a></dialog>", f"<details><summary><a href={u}>x</a></details>",
        f"<!--<!--><a href={u}>x</a>-->", f"<!--a--!><a href={u}>x</a>", f"<![if true]><a href={u}>x</a><![endif]>", f"<!--[if IE]><![endif]--><a href={u}>x</a>", f"<!DOCTYPE a [<!ELEMENT a ANY>]><a href={u}>x</a>",
        f"<textarea></textarea/><a href={u}>x</a>", f"<title></title\n><a href={u}>x</a>", f"<style></style/><a href={u}>x</a>", f"<script></script\t><a href={u}>x</a>", f"<xmp></xmp x><a href={u}>x</a>", f"<plaintext>\n{u}",
        f"<a href=\"{u.replace('/', '&#47')}\">x</a>", f"<a href=\"{u.replace(':', '&#0058;')}\">x</a>", f"<a href='&Tab;{u}'>x</a>", f"<a href='ht&NewLine;tps://{host}/'>x</a>", f"<a href='https&#x3a;&#x2f;&#x2f;{host}'>x</a>",
        f"<p>h<span>tt</span>ps://<i>{host[:3]}</i>{host[3:]}/</p>", f"<p>https://{host[:3]}<!-- x -->{host[3:]}/</p>", f"<p>https://{host[:3]}&shy;{host[3:]}/</p>", f"<p>https://{host[:3]}<wbr>{host[3:]}/</p>", f"<p>https://{host[:3]}&#8203;{host[3:]}</p>",
        f"<p>https://{host[:3]}<span style='display:none'>x</span>{host[3:]}/</p>", f"<p>https:&#47;&#47;{host}</p>", f"<p>https://<a name=x></a>{host}/</p>", f"<p>https://\r\n{host}</p>", f"<pre>https://{host}</pre>",
    ]:
        yield part("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", page)
        if len(page) % 3 == 0:
            yield part("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", page)
    for label, body in [
        ("text/enriched", f"<bold>see</bold> <x-link><param>{u}</param>here</x-link> {u}"), ("text/richtext", f"<bold>see</bold> {u}<nl>"), ("text/html; charset=utf-7", f"+ADw-a href=+ACI-{u}+ACIAPg-x+ADw-/a+AD4-"),
        ("text/markdown; charset=utf-8", f"[x]({u}) <{u}>"), ("text/x-org", f"[[{u}][x]]"), ("text/rtf", "{\\rtf1 {\\field{\\*\\fldinst HYPERLINK \"%s\"}{\\fldrslt x}}}" % u), ("text/csv", f"a,\"=HYPERLINK(\"\"{u}\"\")\""),
        ("text/x-url", f"[InternetShortcut]\r\nURL={u}\r\n"), ("application/internet-shortcut; name=a.url", f"[InternetShortcut]\r\nURL={u}\r\n"), ("application/x-mswinurl; name=a.url", f"[InternetShortcut]\r\nURL={u}\r\n"),
        ("text/uri-list", f"{u}\r\n"), ("text/x-uuencode; name=a.html", uu(html(host))), ("text/troff", f".URL {u}"), ("text/sgml", html(host)), ("text/vnd.wap.wml", f"<wml><a href='{u}'>x</a></wml>"), ("text/x-server-parsed-html", html(host)),
        ("application/rss+xml", f"<rss><link>{u}</link></rss>"), ("application/xml-dtd", f"<!ENTITY a '{u}'>"), ("application/xslt+xml", f"<a href='{u}'>x</a>"), ("application/mathml+xml", f"<math href='{u}'>x</math>"),
        ("application/x-mozilla-bookmarks", html(host)), ("application/ld+json", f"{{\"url\":\"{u}\"}}"), ("message/http", f"HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\n{html(host)}"), ("message/news", f"Subject: x\r\n\r\n{u}"),
        ("text/vcard", f"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:x\r\nURL:{u}\r\nEND:VCARD\r\n"), ("text/calendar; method=REQUEST", f"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nLOCATION:{u}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"),
    ]:
        fields = f"Content-Type: {label}\r\n"
        yield part(f"{fields}Content-Transfer-Encoding: 8bit\r\n", body)
        yield part(f"{fields}Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n", b64(body))
