"""Classes beyond the labels: pages in pages, references by name, codecs that are no charsets, headers that end early."""

import base64
import html as markup
import urllib.parse

from carriers import b64, part, qp, raw

HTML = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n"
# раypal.com by the names of HTML, and wake.uk in letters of another style.
NAMED = ["&rcy;&acy;ypal.com", "&rcy&acy;ypal&period;com", "&wopf;&aopf;&kopf;&eopf;.uk", "&wfr;&afr;&kfr;&efr;.uk", "&#1088&#x00000430;ypal.com"]


def link(host):
    return f'<a href="https://{host}/login">x</a>'


def page(inner):
    return part(HTML, b64(f"<html><body><p>Hello,</p>{inner}<p>bye</p></body></html>\r\n"))


def references(kind, host):
    """Letters by name and number, in places where a tokenizer must be exact."""
    for name in NAMED:
        yield page(link(name))
        yield page(f"<p>see https://{name}/ now</p>")
        for before, behind in [
            ("<!-- --!>", "<!-- -->"), ("<!-->", "<!-- -->"), ("<!--->", "<!-- -->"), ("<?php > ", " ?>"), ("<![CDATA[ > ", " ]]>"), ("<style></style x>", ""),
            ("<title><!-- </title>", "<!-- -->"), ("<textarea><!-- </textarea>", ""), ("<script><!--<script></script>--></script>", ""),
            ("<noscript><style></noscript>", "</style></noscript>"), ("<svg><title>", "</title></svg>"), ("<svg><style>", "</style></svg>"),
            ('<math><annotation-xml encoding="text/html">', "</annotation-xml></math>"), ("<table>", "<tr><td>y</table>"), ("<noframes>", "</noframes>"),
            ("<div><template shadowrootmode=open>", "</template></div>"), ("<!--[if mso]>", "<![endif]-->"), ("<![if !mso]>", "<![endif]>"),
        ]:
            yield page(f"{before}{link(name)}{behind}")
        for tag in [
            "<a\x0chref\x0c=\x0c\"{}\">x</a>", "<a/x/href={} >x</a>", "<a title=''href=\"{}\">x</a>", "<a title=\">\" href=\"{}\">x</a>", "<a\rhref\r=\r\"{}\">x</a>",
            "<a HREF=\"{}\" href=\"https://example.com/\">x</a>", "<a href=\"&#1;&#x1f; {}\">x</a>", "<math><mrow href=\"{}\"><mi>x</mi></mrow></math>",
            "<svg><a><text>x</text><animate attributeName=href to=\"{}\"/></a></svg>", "<svg><a id=q/><set href=#q attributeName=href to=\"{}\"/></svg>",
            "<form id=f></form><input form=f type=image formaction=\"{}\">", "<meta http-equiv=\"&#114;efresh\" content=\"0;{}\">",
            "<!--[if mso]><v:roundrect href=\"{}\">x</v:roundrect><![endif]-->", "<base target=_top><base href=\"{}\"><a href=y>x</a>",
            "<svg xml:base=\"{}\"><a xlink:href=y><text>x</text></a></svg>", "<meta itemprop=url content=\"{}\">",
        ]:
            yield page(tag.format(f"https://{name}/"))


def documents(kind, host):
    """Pages in srcdoc and data: URLs, nested and in other charsets."""
    inner = link(NAMED[0])
    encoded = b64(inner).replace("\r\n", "")
    for url in [
        f"data:text/html,{urllib.parse.quote(inner)}", f"data:text/html;base64,{encoded}", f"data:text/html;base64,{' '.join(encoded)}",
        f"data:text/html;base64,{urllib.parse.quote(encoded, safe='').replace('P', '%50')}", f"DATA:text/html;charset=utf-8;x=y; base64 ,{encoded}",
        f"da\tta:text/html;base64,{encoded}", f"data&colon;text/html&semi;base64&comma;{encoded}",
        f"data:text/html;charset=utf-16le;base64,{base64.b64encode(inner.encode('utf-16-le')).decode()}",
        f"data:text/html;charset=koi8-r;base64,{base64.b64encode(link('раypal.com').encode('koi8-r')).decode()}",
        f"data:text/html;charset=iso-2022-jp;base64,{base64.b64encode(link('раypal.com').encode('iso2022_jp')).decode()}",
    ]:
        for tag in ["<iframe src='{}'></iframe>", "<object data='{}' type='text/html'></object>", "<embed src='{}'>", "<a href='{}'>x</a>"]:
            yield page(tag.format(url))
    for depth in [1, 2, 3, 5, 9]:
        deep = inner
        for _ in range(depth):
            deep = f'<iframe srcdoc="{markup.escape(deep)}"></iframe>'
        yield page(deep)


CODECS = {
    "unicode_escape": "see \\150\\164tps:\\57\\57\\u0440\\u0430ypal\\56com/ now", "raw_unicode_escape": "see https://\\u0440\\u0430ypal.com/ now",
    "MIME-Header": "see https://=?utf-8?b?0YDQsA==?=ypal.com/ now", "MIME-Q": "see https://=?utf-8?Q?=D1=80=D0=B0?=ypal.com/ now",
    "HTML-ENTITIES": "see https://&#1088;&#1072;ypal.com/ now", "BASE64": b64("see https://раypal.com/ now"), "QPrint": "see https://=D1=80=D0=B0ypal.com/ now",
    "utf7-imap": "see https://&BEAEMA-ypal.com/ now", "utf-7-imap": "see https://&BEAEMA-ypal.com/ now", "x-imap4-modified-utf7": "see https://&BEAEMA-ypal.com/ now",
    "hex": "see https://раypal.com/ now".encode().hex(),
}


def codecs(kind, host):
    for label, body in CODECS.items():
        body = body if kind == "plain" else f"<p>{body}</p>"
        yield part(f"Content-Type: text/{kind}; charset={label}\r\nContent-Transfer-Encoding: 8bit\r\n", body)


def headers(kind, host):
    """Lines at which a header ends for some; few letters that nobody labelled."""
    digits = b64(link(host) if kind == "html" else f"see https://{host}/ now\r\n")
    fields = f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n"
    for line in ["\x0c", " ", "\t", "\x0b", "no field", "=", ">From x", ": x", "a b: c"]:
        yield raw(f"{fields}{line}\r\n{digits}")
    for charset in ["koi8-r", "cp1251", "iso8859-5", "mac-cyrillic", "cp866"]:
        for label in ["", "; charset:koi8-r", "; charset=unknown-8bit", "; charset=x-unknown"]:
            text = link("раypal.com") if kind == "html" else "see https://раypal.com/ now\r\n"
            yield part(f"Content-Type: text/{kind}{label}\r\nContent-Transfer-Encoding: 8bit\r\n", text.encode(charset))


def packed(kind, host):
    """Types that most programs hand on, with the letters as references."""
    url = "https://&#1088;&#1072;ypal.com/"
    for label, body in [
        ("application/atom+xml; name=a.atom", f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="{url}"/></feed>'),
        ("application/calendar+xml", f"<icalendar><url><uri>{url}</uri></url></icalendar>"),
        ("application/octet-stream; name=a.webloc", f"<plist><dict><key>URL</key><string>{url}</string></dict></plist>"),
        ("text/markdown; charset=utf-8", f"[x][1]\r\n\r\n[1]: <{url}>"), ("text/vnd.wap.wml; name=a.wml", f'<wml><a href="{url}">x</a></wml>'),
        ("application/xhtml+xml; name=a.xhtml", f'<!DOCTYPE html [<!ATTLIST a href CDATA "{url}">]><html xmlns="http://www.w3.org/1999/xhtml"><a>x</a></html>'),
        ("image/svg+xml; name=a.svg", f'<!DOCTYPE svg [<!ATTLIST a xlink:href CDATA "{url}">]><svg xmlns="http://www.w3.org/2000/svg"><a><text>x</text></a></svg>'),
        ("application/json; name=a.json", '{"url":"https:\\/\\/\\u0440\\u0430ypal.com\\/"}'),
    ]:
        yield part(f"Content-Type: {label}\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n", b64(body))
        yield part(f"Content-Type: {label}\r\nContent-Transfer-Encoding: quoted-printable\r\n", qp(body))
