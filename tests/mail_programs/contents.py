"""Classes in which programs decode bytes, or read text and markup, in different ways."""

from carriers import HOSTS, b64, html, part, qp, raw, shown, text, uu


def codec(name, content):
    try:
        return content.encode(name)
    except (LookupError, UnicodeEncodeError):
        return None


CHARSETS = {
    "utf-8": ["utf-8", "utf8", "UTF_8", "u8", "utf8mb4", "csutf8", "unicode-1-1-utf-8", '"utf-8"', "'utf-8'", "utf-8;", "(x)utf-8", " utf-8"],
    "utf-8-sig": ["utf-8", "", "us-ascii", "utf-16"],
    "utf-16": ["utf-16", "utf16", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode", "utf-8", ""],
    "utf-16-le": ["utf-16", "utf-16le", "UTF_16LE", "utf-16-le", "unicodefffe", "ucs-2le", "x-utf-16le", "utf-16be", "iso-10646-ucs-2"],
    "utf-16-be": ["utf-16", "utf-16be", "UTF_16BE", "unicodefffe", "unicodefeff", "ucs-2be", "utf-16le", "iso-10646-ucs-2"],
    "utf-32": ["utf-32", "utf32", "ucs-4", "csucs4", ""],
    "utf-32-le": ["utf-32", "utf-32le", "UTF_32LE", "ucs-4le", "x-utf-32le", "iso-10646-ucs-4", "utf-32be"],
    "utf-32-be": ["utf-32", "utf-32be", "UTF_32BE", "ucs-4be", "iso-10646-ucs-4", "ucs4", "utf-32le"],
    "utf-7": ["utf-7", "utf7", "unicode-1-1-utf-7", "csunicode11utf7", "x-utf-7", "UTF_7"],
    "koi8-r": ["koi8-r", "koi8r", "koi8_r", "koi8", "cskoi8r", "koi", ""],
    "koi8-u": ["koi8-u", "koi8u", "koi8-ru"],
    "cp1251": ["windows-1251", "windows1251", "win-1251", "cp1251", "x-cp1251", "ansi-1251", "ms-cyrl", "1251", "cp-1251", ""],
    "iso8859-5": ["iso-8859-5", "iso88595", "iso_8859_5", "iso8859-5", "cyrillic", "csisolatincyrillic", "iso-ir-144", "8859_5", "iso8859_5"],
    "cp866": ["ibm866", "cp866", "866", "csibm866", "dos-866", "x-cp866"],
    "cp855": ["ibm855", "cp855", "855", "csIBM855", "x-IBM855"],
    "mac-cyrillic": ["x-mac-cyrillic", "mac-cyrillic", "maccyrillic", "x-maccyrillic", "10007", "x-mac-ukrainian"],
    "iso2022_jp": ["iso-2022-jp", "iso2022jp", "csiso2022jp", "iso2022_jp", "jis", "us-ascii", ""],
    "iso2022_jp_1": ["iso-2022-jp-1", "iso2022-jp-1"],
    "iso2022_jp_2": ["iso-2022-jp-2", "iso2022-jp-2", "csiso2022jp2"],
    "iso2022_jp_3": ["iso-2022-jp-3", "iso2022-jp-3"],
    "iso2022_jp_2004": ["iso-2022-jp-2004", "iso2022-jp-2004"],
    "iso2022_jp_ext": ["iso-2022-jp-ext", "iso2022-jp-ext"],
    "iso2022_kr": ["iso-2022-kr", "iso2022kr", "csiso2022kr"],
    "hz": ["hz-gb-2312", "hz", "hzgb"],
    "gb18030": ["gb18030", "gb-18030", "gbk", "gb2312", "x-gbk", "cp936", "euc-cn", "chinese", "csgb2312"],
    "big5hkscs": ["big5-hkscs", "big5", "big5hkscs", "x-x-big5", "cn-big5"],
    "euc_jp": ["euc-jp", "eucjp", "x-euc-jp", "ujis", "euc_jp"],
    "shift_jis": ["shift_jis", "sjis", "shift-jis", "x-sjis", "ms_kanji", "windows-31j", "cp932"],
    "euc_kr": ["euc-kr", "euckr", "ks_c_5601-1987", "cp949", "uhc", "johab"],
    "cp1253": ["windows-1253", "cp1253", "windows1253"],
    "iso8859-7": ["iso-8859-7", "iso88597", "greek", "greek8", "ecma-118", "elot_928", "iso8859_7"],
    "cp737": ["ibm737", "cp737", "x-IBM737"],
    "cp037": ["ibm037", "cp037", "IBM-037", "ebcdic-cp-us", "csIBM037", "x-IBM037"],
    "cp500": ["ibm500", "cp500", "ebcdic-international", "x-IBM500"],
    "cp1140": ["ibm1140", "cp1140", "ibm01140", "ccsid01140"],
    "cp1026": ["ibm1026", "cp1026", "x-IBM1026"],
    "cp273": ["ibm273", "cp273", "x-IBM273"],
    "cp875": ["cp875", "x-IBM875", "ibm875"],
    "cp424": ["ibm424", "cp424"],
}


def charsets(kind, host):
    """Each name with the first host that the charset can write."""
    for name, labels in CHARSETS.items():
        hosts = [host, *HOSTS]
        content = next(filter(None, (codec(name, shown(kind, host)) for host in hosts)))
        for label in labels:
            parameter = f"; charset={label}" if label else ""
            fields = f"Content-Type: text/{kind}{parameter}\r\n"
            yield part(f"{fields}Content-Transfer-Encoding: base64\r\n", b64(content))
            if b"\0" not in content and b"\n" in content:
                yield part(f"{fields}Content-Transfer-Encoding: 8bit\r\n", content)


def charset_fields(kind, host):
    """Several charsets, or a name in an odd form."""
    content = shown(kind, HOSTS[0]).encode("cp1251")
    for parameters in [
        "; charset=utf-8; charset=windows-1251", "; charset=windows-1251; charset=utf-8", "; charset*=us-ascii''windows-1251",
        "; charset*0=windows-; charset*1=1251", "; charset=\"windows\\-1251\"", "; charset=windows-1251 (x)", "; charset=(x)windows-1251",
        "; charset=windows-1251\0", "; charset==?us-ascii?q?windows-1251?=", "; charset = windows-1251", "; CHARSET=WINDOWS-1251",
        "; charset=us-ascii; charset=windows-1251", "; charset=x-unknown", "; charset=", ", charset=windows-1251", " charset=windows-1251",
        "; charset=windows-1251,utf-8", "; charset=windows-1251/utf-8", "; charset=windows-1251:x", "; charset=cp1251\\", "; charset=<windows-1251>",
    ]:
        yield part(f"Content-Type: text/{kind}{parameters}\r\nContent-Transfer-Encoding: base64\r\n", b64(content))
    page = '<html><head>{}</head><body><a href="https://{}/login">here</a></body></html>'
    for metas in [
        '<meta charset=windows-1251>', '<meta http-equiv=content-type content="text/html; charset=windows-1251">',
        '<meta charset=utf-8><meta charset=windows-1251>', '<!-- <meta charset=utf-8> --><meta charset=windows-1251>',
        '<meta content="text/html; charset=utf-8"><meta charset="windows-1251">', "<META CHARSET='windows-1251'>",
        '<meta charset=windows-1251 charset=utf-8>', '<meta\tcharset=windows-1251/>', '<?xml version="1.0" encoding="windows-1251"?>',
    ]:
        yield part("Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n", b64(page.format(metas, HOSTS[0]).encode("cp1251")))


def base64s(kind, host):
    whole = b64(shown(kind, host))
    bare = whole.replace("\r\n", "")
    forms = [
        f"=ABC{whole}", f"A=BC{whole}", f"AB=C{whole}", f"={whole}", f"===={whole}", f"{bare[:9]}={bare[9:]}", f"{bare[:10]}={bare[10:]}",
        f"{bare[:12]}={bare[12:]}", f"{bare[:12]}=\r\n{bare[12:]}", f"{bare[:12]}==\r\n{bare[12:]}", f"{bare[:12]}=={bare[12:]}",
        b64(shown(kind, host)[:7]) + b64(shown(kind, host)[7:]), bare, "\r\n".join(bare[at : at + 3] for at in range(0, len(bare), 3)),
        " ".join(bare[at : at + 5] for at in range(0, len(bare), 5)), f"\r\n\r\n{whole}", f"-{whole}", f"!{whole}", f"\ufeff{whole}",
        f"A{whole}", f"AB{whole}", f"ABC{whole}", whole.replace("+", "-").replace("/", "_"), bare.rstrip("="), f"{bare}====", f"{bare}A",
        whole.replace("\r\n", "\r"), whole.replace("\r\n", "\n"), whole.replace("\r\n", "=\r\n"), whole.replace("\r\n", "\0\r\n"),
        whole.replace("\r\n", "\r\n>"), whole.replace("\r\n", "\r\n "), whole.replace("\r\n", "\x0b"), f"(comment){whole}", f"{whole}--\r\n{whole}",
        f"begin-base64 644 a.html\r\n{whole}====\r\n",
    ]
    for body in forms:
        yield part(f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n", body)


def quoted(kind, host):
    whole = qp(shown(kind, host))
    every = "".join(f"={byte:02X}" for byte in shown(kind, host).encode())
    lower = "".join(f"={byte:02x}" for byte in shown(kind, host).encode())
    name = "".join(f"={byte:02X}" for byte in host.encode())
    line = f"see https://{name}/ now\r\n"
    split = f"see https://{name[:6]}{{}}{name[6:]}/ now\r\n"
    forms = [whole, every.replace("=0D=0A", "\r\n"), "=\r\n".join(every[at : at + 72] for at in range(0, len(every), 72)), lower, line]
    for soft in ["=\r\n", "=\n", "=\r", "= \r\n", "=\t\n", "=\r\r\n", "=\r\n=\r\n", "=20=\r\n", "=\0\r\n", "=", "=\r\n ", "=3D\r\n"]:
        forms.append(split.format(soft))
    forms += [line.replace("=", "=="), line.replace("=", "= "), line.replace("=D1", "=d1"), line.replace("/", "=2F"), line.replace(":", "=3a")]
    for body in forms:
        yield part(f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n", body)


def short_lines(data):
    """uuencode whose lines hold more digits than their length byte says, and less."""
    return "\r\n".join(line + "  " for line in uu(data).split("\r\n")), "\r\n".join(line.rstrip("`") for line in uu(data).split("\r\n"))


def yenc(data):
    out = bytearray()
    for byte in raw(data):
        byte = (byte + 42) % 256
        out += bytes([61, (byte + 64) % 256]) if byte in (0, 10, 13, 61) else bytes([byte])
    lines = b"\r\n".join(bytes(out[at : at + 128]) for at in range(0, len(out), 128))
    return b"=ybegin line=128 size=%d name=a.html\r\n" % len(raw(data)) + lines + b"\r\n=yend size=%d\r\n" % len(raw(data))


def uuencoded(kind, host):
    page = html(host)
    blocks = [uu(page), uu(page).replace("\r\nend", ""), uu(page).replace("`", " "), *short_lines(page), uu(page).replace("\r\n", "\n"), uu(page, "a b.html")]
    blocks += ["Hello\r\n\r\n" + uu(page), uu(page, "a.htm"), uu(page, ""), uu(page).replace("begin 644", "begin 0644"), uu(page).replace("begin 644", "begin 7")]
    for body in blocks:
        for fields in [
            "Content-Type: text/html\r\nContent-Transfer-Encoding: x-uuencode\r\n", "Content-Type: text/plain\r\n",
            "Content-Type: text/html\r\nContent-Transfer-Encoding: uuencode\r\n", "Content-Type: application/octet-stream; name=a.html\r\nContent-Transfer-Encoding: x-uue\r\n",
        ]:
            yield part(fields, body)
    yield part("Content-Type: text/plain\r\n", yenc(page))
    yield part("Content-Type: text/html\r\nContent-Transfer-Encoding: x-yenc\r\n", yenc(page))
    yield part("Content-Type: text/html\r\nContent-Transfer-Encoding: yenc\r\n", yenc(page))


def running_text(kind, host):
    label = "text/plain; charset=utf-8"
    for url in [
        "https:{}", "https:/{}", "https:///{}", "https:\\\\{}", "https://{}[.]", "https://{}%20", "https://{}%2e", "https://{}%2E/x", "https://a;b@{}",
        "https://a,b@{}", "https://x:y@{}", "https://(x)@{}", "HTTPS://{}", "see:https://{}", "//{}", "\\\\{}", "www.{}", "https://www.{}", "https://{}.",
        "https://{}:443", "https://{}:", "https://{}?x", "https://{}#x", "https://{}\\x", "<https://{}>", "[https://{}]", "(https://{})", '"https://{}"',
        "https://{}\x0chere", "https://{}\x0bhere", "\u200bhttps://{}", "https://\u00ad{}", "ftp://{}", "mailto:a@{}", "bob@{}", "https://{}\u3000x", "URL:https://{}",
        "https://%", "http://https://{}", "https://{}%00", "https://{}\u2028x",
    ]:
        url = url.format(host) if "{}" in url else "https://" + "".join(f"%{byte:02X}" for byte in host.encode())
        yield part(f"Content-Type: {label}\r\nContent-Transfer-Encoding: 8bit\r\n", f"Hello,\r\n\r\nsee {url} now.\r\n")
        page = f"<html><body><p>Hello, see {url.replace('<', '&lt;')} now.</p></body></html>"
        yield part("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", page)


def slashes(kind, host):
    for slash in "\u2044\u2215\u29f8\u2571\u27cb\u1735\u3033\u2cc6\u31d3\u203a":
        url = f"https://www.paypal.com{slash}login.evil.example/"
        yield part("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", f"Confirm at {url} now.\r\n")
        yield part("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", f'<p>Confirm <a href="{url}">here</a> now.</p>')


def markup(kind, host):
    u = f"https://{host}/login"
    escaped = "".join(f"&#{ord(c)};" for c in host)
    for page in [
        f'<p class="hello \u201d><a href={u}>x</a><p class=\u201d">hi</p>', f'<!-- a -- > <a href="{u}">x</a> -->', f'<!--> <a href="{u}">x</a> -->',
        f'<!--[if mso]><a href="{u}">x</a><![endif]-->', f'<!---><a href="{u}">x</a>', f'<!-- --!><a href="{u}">x</a>', f'<![CDATA[<a href="{u}">x</a>]]>',
        f"<a\0href=\"{u}\">x</a>", f"<a hr\0ef=\"{u}\">x</a>", f"<\0a href=\"{u}\">x</a>", f'<a href="ht\ntps://{host}/">x</a>', f'<a href=" {u}">x</a>',
        f'<a href="\x01{u}">x</a>', f'<a href=\u201c{u}\u201d>x</a>', f'<a/href={u}>x</a>', f"<a href='{u}'>x</a>", f'<a href={u}>x', f'<a href="{u}',
        f'<A HREF="{u.upper()}">x</A>', f'<a href="https://{escaped}/">x</a>', f'<a href="https&colon;&sol;&sol;{host}">x</a>', f'<a href="//{host}/">x</a>',
        f'<a href="\\\\{host}\\">x</a>', f'<a href="https:{host}">x</a>', f'<base href="https://{host}/"><a href="/login">x</a>',
        f'<form action="{u}"><button>x</button></form>', f'<form><button formaction="{u}">x</button></form>', f'<area href="{u}">', f'<iframe src="{u}"></iframe>',
        f'<iframe srcdoc="<a href={u}>x</a>"></iframe>', f"<iframe src='data:text/html,<a href=\"{u}\">x</a>'></iframe>",
        f"<iframe src='data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22><a href=%22{u}%22><text>x</text></a></svg>'></iframe>",
        f"<object data='data:text/html;base64,{b64(html(host)).replace(chr(13) + chr(10), '')}'></object>", f'<meta http-equiv=refresh content="0;url={u}">',
        f'<svg><a xlink:href="{u}"><text>x</text></a></svg>', f'<math href="{u}">x</math>', f'<noscript><a href="{u}">x</a></noscript>',
        f'<template><a href="{u}">x</a></template>', f'<xmp><a href="{u}">x</a></xmp>', f'<textarea><a href="{u}">x</a></textarea>', f'<title><a href="{u}">x</a></title>',
        f'<style><a href="{u}">x</a></style>', f'<script>location="{u}"</script>', f'<a title="x" href="{u}" href="https://example.com">x</a>',
        f'<a href="https://example.com" href="{u}">x</a>', f'<plaintext><a href="{u}">x</a>', f'<a href="{u}"', f'<p>{u}</p>', f'<p>https://<b>{host}</b></p>',
        f'<a data-x="<a href={u}>">x</a>', f'<img alt="<a href={u}>" src=x>', f'<p title="\'><a href={u}>x</a>">', f'<a href=`{u}`>x</a>',
    ]:
        yield part("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", page)
    for page in [
        f'<!DOCTYPE html [<!ENTITY u "{u}">]><html xmlns="http://www.w3.org/1999/xhtml"><body><a href="&u;">x</a></body></html>',
        f'<?xml version="1.0"?><x:html xmlns:x="http://www.w3.org/1999/xhtml"><x:body><x:a href="{u}">x</x:a></x:body></x:html>',
        f'<?xml version="1.0"?><?xml-stylesheet href="{u}" type="text/xsl"?><a/>', f'<svg xmlns="http://www.w3.org/2000/svg"><a href="{u}"><text>x</text></a></svg>',
        f'<!DOCTYPE html [<!ENTITY h "{host}">]><html xmlns="http://www.w3.org/1999/xhtml"><body><a href="https://&h;/">x</a></body></html>',
    ]:
        for label in ["application/xhtml+xml; name=a.xhtml", "image/svg+xml; name=a.svg", "text/xml", "application/xml; name=a.xml"]:
            yield part(f"Content-Type: {label}; charset=utf-8\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: 8bit\r\n", page)


def bases(kind, host):
    for name in ["Content-Location", "Content-Base"]:
        for page in ['<p><a href="/login">x</a></p>', '<p><a href="login">x</a></p>', '<form action="?x"><button>x</button></form>']:
            yield part(f"Content-Type: text/html; charset=utf-8\r\n{name}: https://{host}/\r\n", page)


def calendars(kind, host):
    escaped = "".join(c if ord(c) < 128 else f"&#{ord(c)};" for c in host)
    a = f'<a href="https://{escaped}/x">Join</a>'
    event = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261121T090000Z\r\n{}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    card = "BEGIN:VCARD\r\nVERSION:{}\r\nFN:Shop\r\n{}\r\nEND:VCARD\r\n"
    url = f"https://{host}/login"
    coded = "".join(f"={byte:02X}" for byte in url.encode())
    digits = b64(url).replace("\r\n", "")
    properties = [
        f"DESCRIPTION:{a}", f"DESCRIPTION:{url}", f"URL:{url}", f"LOCATION:{url}", f"X-ALT-DESC;FMTTYPE=text/html:{a}", f"ATTACH:{url}", f"COMMENT:see {url}",
        f"DESCRIPTION;ENCODING=QUOTED-PRINTABLE:{coded}", f"DESCRIPTION;ENCODING=BASE64:{digits}", f"SUMMARY:{url}", f"DESCRIPTION;ALTREP=\"{url}\":x",
        f"STYLED-DESCRIPTION;VALUE=TEXT;FMTTYPE=text/html:{a}", f"DESCRIPTION:https://{host[:3]}\r\n {host[3:]}/", f"NOTE:{a}", f"X-GOOGLE-CONFERENCE:{url}",
    ]
    for line in properties:
        yield part("Content-Type: text/calendar; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", event.format(line))
        yield part("Content-Type: application/octet-stream; name=a.ics\r\nContent-Transfer-Encoding: base64\r\n", b64(event.format(line)))
    for line in [
        f"URL:{url}", f"NOTE:{url}", f"NOTE:{a}", f"URL;ENCODING=QUOTED-PRINTABLE:{coded}", f"URL;ENCODING=BASE64:{digits}", f"URL;ENCODING=b:{digits}",
        f"item1.URL:{url}", f"EMAIL:bob@{host}", f"SOURCE:{url}", f"X-SOCIALPROFILE:{url}",
    ]:
        for version, label in [("2.1", "text/x-vcard"), ("3.0", "text/vcard"), ("4.0", "text/directory"), ("3.0", "application/octet-stream; name=a.vcf")]:
            yield part(f"Content-Type: {label}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", card.format(version, line))


def redirectors(kind, host):
    ascii_host = HOSTS[1]
    target = f"https://{ascii_host}/login"
    token = b64(target).replace("\r\n", "").replace("=", "")
    for url in [
        f"https://www.bing.com/ck/a?!&&p=x&u=a1{token}&ntb=1", f"https://eu.protection.sophos.com/?d=example.com&u={token}&i=x",
        f"https://www.google.com/amp/s/{ascii_host}/login", f"https://a-com.cdn.ampproject.org/c/s/{ascii_host}/login",
        f"https://www.google.com/url?q={ascii_host}", f"https://l.facebook.com/l.php?u={ascii_host}%2Flogin",
        f"https://eur01.safelinks.protection.outlook.com/?url=https%253A%252F%252F{ascii_host}%252F&data=05",
        f"https://www.google.com/url?q={target}", f"https://t.example.com/r?u=https%3A%2F%2F{ascii_host}%2F",
    ]:
        yield part("Content-Type: text/html; charset=utf-8\r\n", '<a href="%s">x</a>' % url.replace("&", "&amp;"))


__all__ = ["text"]
