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
]

export const schemes = [
  '', 'www.', 'http://', 'https://', 'http:', 'https:', 'http:/', 'http:///', 'http:////', 'https:\\\\', 'http:\\', 'http:/\\', 'HTTP://', 'hTTpS://', 'ftp://', 'ftp:',
  'mailto:', 'mailto:user@', 'mailto://', 'user@', 'first.last+tag@', '//', '\\\\', '/', 'http://user@', 'http://a:b@', 'http://paypal.com@', 'http://paypal.com:80@', 'hxxp://',
  'http://http://', 'https://https:', 'https//', 'http;//', 'http ://', 'www.www.', 'WWW.', 'ww.', 'http://www.', 'https://www.', 'http://.', 'http://-', 'http://_', 'http://%20', 'view-source:http://', 'web+http://', 'tel:', 'feed:https://', 'URL:http://', '@', 'user@@',
]

export const behind = [
  '', '.', ',', ')', '/', '/path', '?q=1', '#f', ':80', ':', ':99999', ':0x50', ':80/path', '%20', '%2e', '%2E', '%00', '%', '@', '@x', '@x.y', '/@x', '[.]', '[', ']', '.[', 'です', '。次', '。', '．', '！', '…', '_x', '_', '-', '--', '..', '...', './',
  '.com', '\\path', '\\', '\u200B', '\u00AD', '\u200D', '\u2060', '\u202C', '\u00A0', '"', '\'', '”', '»', '」', '|', '`', '~', '^', '{', '}', '<', '>', '*', '**', '+', '=', '&', ';', '!', '?',
  '👉', '✓', '★', 'ในวันนี้', '을', '에서', 'сегодня', 'да', 'и', 'και', 'مرحبا', 'հիմա', '、次', '，然后', '（注）', '™', '/раypal.com', '?u=раypal.com', '/..', '/login.html?next=http://example.com/', '.\u200B', '-x', '0', '1',
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
