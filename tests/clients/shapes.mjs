// What is put together: what stands before, the scheme, the deceptive host, what stands behind.

// As written, and the registrable domain that it leads to.
export const hosts = [
  ['раypal.com', 'раypal.com'],
  ['аррӏе.com', 'аррӏе.com'],
  ['www.аcmecorp.com', 'аcmecorp.com'],
  ['xn--80ak6aa92e.com', 'аррӏе.com'],
  ['аcmecorp.com', 'аcmecorp.com'],
  ['gооgle.com', 'gооgle.com'],
  ['gοοgle.com', 'gοοgle.com'],
  ['gօօgle.com', 'gօօgle.com'],
  ['ɢoogle.com', 'ɢoogle.com'],
  ['аmazon.co.uk', 'аmazon.co.uk'],
  ['amаzon.co.jp', 'amаzon.co.jp'],
  ['раypal.com.ua', 'раypal.com.ua'],
  ['раypal.shop', 'раypal.shop'],
  ['gооgle.рф', 'gооgle.рф'],
  ['раypal.xn--p1ai', 'раypal.рф'],
  ['xn--ypal-43d9g.com', 'раypal.com'],
  ['раypal。com', 'раypal.com'],
  ['раypal．com', 'раypal.com'],
  ['раypal｡com', 'раypal.com'],
  ['раypal․com', 'раypal.com'],
  ['xn--80ak6aa92e。com', 'аррӏе.com'],
  ['𝐩aypal.com', 'paypal.com'],
  ['ⓟaypal.com', 'paypal.com'],
  ['login.раypal.com', 'раypal.com'],
  ['раypal.com.evil-site.net', 'evil-site.net'],
  ['my-bаnk.login.secure-site.org', 'secure-site.org'],
  ['mybank-lоgin.org', 'mybank-lоgin.org'],
  ['ṁicrosoft.com', 'ṁicrosoft.com'],
  ['ᏢᎪᎩᏢᎪᏞ.com', 'ᏢᎪᎩᏢᎪᏞ.com'],
  ['раy\u00ADpal.com', 'раypal.com'],
  ['РАYPAL.COM', 'раypal.com'],
]

export const before = [
  '', 'see', 'the1', 'é', 'word-', 'a.', 'x_', '_', '__', '-', '--', '.', '..', '...', '/', '//', '\\', '\\\\', '@', '=', 'url=', ':', 'Link:', '1', '2026',
  '~', '#', '*', '**', '`', '|', '+', '&', '%', '$', '^', ';', ',', '!', '?', '<', '>', '(', '[', '{', '"', '\'', '“', '„', '«', '‹', '「', '（', '【', '《', '、', '。', '，', '：', '・', '…', '–', '—', '‑', '·', '•',
  '\u200B', '\u00AD', '\u200D', '\u2060', '\uFEFF', '\u202E', '\u00A0', '\u3000',
  '👉', '→', '★', '✓', '€', '☎', '🎁', '➡️', '1️⃣', '🇩🇪', '™', '°', '№',
  '请看', '次は', 'リンクは', '링크는', 'ดู', 'ເບິ່ງ', 'មើល', 'Смотри', 'сайт', 'Δες', 'انظر', 'ראה', 'देखें', 'տես', 'նայիր', 'იხილე',
  'see:', 'see.', 'see/', 'see@', 'see=', 'mail:', 'http', 'http:', 'javascript:', 'foo@bar', 'example.com/', 'example.com?u=', 'example.com,', 'example.com@',
  // Markup, quoting and escapes of other languages.
  '](', '[x](', '[1]: ', 'href="', 'src=\'', '<a href=', '{"url":"', '&quot;', '&#34;', '&nbsp;', '%22', '%20', '%3D', '\\n', '\\"', '\\u002F', '\\/\\/', '\\x2f', 'u003d', '=3D',
  // Words glued to it: with a scheme in them, with signs, in other numbers and scripts.
  'xhttp', 'https', 'www', 'ftp://', 'mailto:', 'sip:', 'cid:', 'a:b@', 'http://x.', 'http://example.com:', 'a1b2', 'ß', 'İ', '①', '²', '½', 'Ⅷ', 'ª', '٣', '९', '見て', 'ｓｅｅ', 'се',
  '\u0301', '\u20E3', '\uFE0F', '\u200E', '\u200F', '\u2066', '\u2028', '\u0085', '\t', '\u000B', '\u000C', '\u180E', '\u3164', '\u115F', '\u034F', '\u{E0061}', '\u{1F3FB}', '\uFFFD', '\uFFFC', '\uE000',
  '٪', '،', '؟', '।', '։', '་', '፡', '〽', '￥', '‚', '〟', '‐', '−', '＿', '－', '―', '﹣', '．', '｡', '․', '＠', '／', '∕', '⁄',
]

export const schemes = [
  '', 'www.', 'http://', 'https://', 'http:', 'https:', 'http:/', 'http:///', 'http:////', 'https:\\\\', 'http:\\', 'http:/\\', 'HTTP://', 'hTTpS://', 'ftp://', 'ftp:',
  'mailto:', 'mailto:user@', 'mailto://', 'user@', 'first.last+tag@', '//', '\\\\', '/', 'http://user@', 'http://a:b@', 'http://paypal.com@', 'http://paypal.com:80@', 'hxxp://',
  'http://http://', 'https://https:', 'https//', 'http;//', 'http ://', 'www.www.', 'WWW.', 'ww.', 'http://www.', 'https://www.', 'http://.', 'http://-', 'http://_', 'http://%20', 'view-source:http://', 'web+http://', 'tel:', 'feed:https://', 'URL:http://', '@', 'user@@',
  // A sign between scheme and host.
  ...['→', '👉', '★', '“', '"', '\'', '(', '[', '<', '«', '*', '~', '!', '$', '&', '+', ',', ';', '=', '^', '`', '{', '|', '?', '#', ':', '%', '@', '。', '․', '…', '..', '-.', '._', ' ', '\t', '\u3000', '\u00A0',
    '\u200B', '\u00AD', '\u2060', '\u202E', '\u2066', '\uFE0F', '\u0301', '\u{E0061}', '\u3164', '／', '∕', '⁄', '＼', '：', '＠'].map(sign => `http://${sign}`),
  'www.→', 'www.👉', 'www.-', 'www._', 'www..', 'www.(', 'www.\u200B', 'www.\u00AD', '//→', '//.', '//-', '///', '\\\\→', 'user@→', 'user@.', 'user@-', 'mailto:→', 'mailto:user@→', 'http:→', 'http:/→', 'https:\\\\→',
  // What stands before the last @ of an authority.
  ...['', ':', ':80', '@', 'a@b', 'a:b:c', 'раypal', '→', '→:→', 'a b', '%', '%40', '%2F', 'user%40example.com', '[::1]', '1.2.3.4', 'пример.рф', 'example.com\\', 'example.com#', 'example.com?', 'example.com/', 'example.com;',
    'a"b', 'a\'b', 'a(b', 'a[b', 'a<b', 'a{b', 'a|b', 'a`b', 'a^b', 'a~b', 'a!b', 'a$b', 'a&b', 'a*b', 'a+b', 'a,b', 'a=b', '…', '。', '\u00A0', '\u200B'].map(user => `https://${user}@`),
  // Schemes in letters, slashes and colons that only look it, or that some program mends.
  'ｈｔｔｐ://', 'hｔtp://', 'httр://', 'ht\u00ADtp://', 'ht\u200Btp://', 'http：//', 'http:／／', 'https：／／', 'http:⁄⁄', 'http:∕∕', 'http:\u200B//', 'http:/ /', 'http:/\u200B/', 'http:%2F%2F', 'http%3A//', 'http%3A%2F%2F',
  'http&#58;//', 'http:\\/\\/', 'http\\:', 'http::', 'http:://', 'http:://www.', 'http//:', 'http:/.', 'http:.', 'htttp://', 'ttp://', 'http://https://', 'http://www.www.', 'h t t p://',
  'www。', 'www．', 'www｡', 'www․', 'www..', 'www.www。', 'WwW.', 'ｗｗｗ.', 'wwww.', 'www1.', 'www-', 'www,', 'www:', 'www/', 'ftp.', 'FTP.', 'mail.', 'http.', 'https.www.',
  // Programs that open a host by themselves, or hand it to one that does.
  'ftps://', 'sftp://', 'ws://', 'wss://', 'sip:', 'sip:user@', 'sips:user@', 'xmpp:user@', 'im:user@', 'pres:user@', 'facetime:user@', 'file://', 'smb://', 'afp://', 'nfs://', 'ldap://', 'view-source:https://',
  'jar:https://', 'search-ms:https://', 'ms-word:ofe|u|https://', 'ms-settings:https://', 'zoommtg://', 'microsoft-edge:https://', 'googlechrome://navigate?url=https://', 'intent://', 'webcal://', 'feed://', 'irc://', 'git://',
  'git+ssh://user@', 'ssh://user@', 'telnet://', 'news://', 'gopher://', 'rtsp://', 'magnet:?tr=http://', 'tg://resolve?u=http://', 'whatsapp://send?text=http://', 'itms-services://?url=https://', 'blob:https://',
  'filesystem:https://', 'about:https://', 'skype:user@', 'callto:user@', 'sms:user@', 'data:text/html,https://', 'javascript://', 'a://', 'x-y.z+1://', '1http://', '-http://', '.http://', '+http://', 'http+http://',
]

export const behind = [
  '', '.', ',', ')', '/', '/path', '?q=1', '#f', ':80', ':', ':99999', ':0x50', ':80/path', '%20', '%2e', '%2E', '%00', '%', '@', '@x', '@x.y', '/@x', '[.]', '[', ']', '.[', 'です', '。次', '。', '．', '！', '…', '_x', '_', '-', '--', '..', '...', './',
  '.com', '\\path', '\\', '\u200B', '\u00AD', '\u200D', '\u2060', '\u202C', '\u00A0', '"', '\'', '”', '»', '」', '|', '`', '~', '^', '{', '}', '<', '>', '*', '**', '+', '=', '&', ';', '!', '?',
  '👉', '✓', '★', 'ในวันนี้', '을', '에서', 'сегодня', 'да', 'и', 'και', 'مرحبا', 'հիմա', '、次', '，然后', '（注）', '™', '/раypal.com', '?u=раypal.com', '/..', '/login.html?next=http://example.com/', '.\u200B', '-x', '0', '1',
  // Ports, dots and what ends a host for some.
  ':443', ':0', ':080', ':80a', ':80.', ':-1', ': 80', ':٨٠', '：80', ':80:80', ':x', ':/', '://', '://x', ':80?q', ':80#f', ':http://', '._', '.-', '-.', '.→', '.…', '.\u0301', '.)', '.”', '.、', '․', '｡', '․net', '。net', '．net', '.net', '.co',
  '.рф', '.xn--p1ai', '.invalid', '.local', '.1', '.com.', '.com/', '.X', '.x', 'com', '.com.com', 'www.', 'http', 'http://', 'https://example.com', '//x', '/ x', '?раypal', '#раypal.com', ';x', '$', '%2F', '%3A', '%C2%A0', '%E3%80%82',
  '%20x', '%00x', '%2Ecom', '%x', '&nbsp;', '&amp;', '&quot;', '&#47;', '\\n', '\\u002F', '\\x', '\\\\', '=3D', '=\u200B', '](x)', ')](x)', '>x', '">x', '\'>x',
  // What looks like a slash, a question mark, a hash or an at sign.
  '⁄x', '∕x', '／x', '＼x', '？q', '＃f', '＠x', '⧸x', '╱x', '〳x', '⼃x', '\u200B/x', '\u00AD/x',
  // Marks, spaces and invisible characters.
  '\u0301', '\u20E3', '\uFE0F', '\u0338', '\u200E', '\u202E', '\u2066', '\u2028', '\u2029', '\u0085', '\u000B', '\u000C', '\t', '\u180E', '\u3164', '\u{E0020}', '\uFEFF', '\uFFFD', '\uFFFC', '\uE000', '\u3000', '\u2003',
  '°', '½', '²', '①', 'ª', 'ß', 'İ', 'ı', 'ⅷ', '٣', '٪', '،', '؟', '।', '։', '་', '፡', '“', '„', '‚', '«', '‹', '›', '】', '》', '〉', '〟', '‐', '‑', '–', '—', '―', '−', '－', '＿', '·', '・', '•', 'ﬁ', '㎏', '㏂', '𝐚', 'ａ', 'á', 'ё', 'العربية', 'עברית', 'हिन्दी', 'ไทย',
]

// A stream of numbers from a seed: the same in every run (mulberry32).
export function chance (seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6D2B79F5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = count => Math.floor(next() * count)
  return { next, below, pick: list => list[below(list.length)] }
}

// One dimension at a time over a few plain bases, and every scheme with every host.
export function single () {
  const bare = hosts.slice(0, 4)
  const shapes = []
  for (const host of bare) {
    for (const scheme of ['', 'www.', 'http://']) {
      for (const text of before) shapes.push({ before: text, scheme, host, behind: '' })
    }
    for (const scheme of ['', 'http://', 'user@']) {
      for (const text of behind) shapes.push({ before: '', scheme, host, behind: text })
    }
  }
  for (const host of hosts) {
    for (const scheme of schemes) shapes.push({ before: '', scheme, host, behind: '' })
  }
  const known = new Set()
  return shapes.filter(shape => !known.has(JSON.stringify(shape)) && known.add(JSON.stringify(shape)))
}

// Any of each; every third with nothing before, every third with nothing behind.
export function random (count, seed) {
  const dice = chance(seed)
  const often = list => dice.below(3) === 0 ? '' : dice.pick(list)
  return Array.from({ length: count }, () => ({
    before: often(before), scheme: dice.pick(schemes), host: dice.pick(hosts), behind: often(behind),
  }))
}
