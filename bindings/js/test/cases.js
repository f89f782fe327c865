// What must hold of both entries, in node as in a browser: `run` returns what does not.

export function run (plain, judge) {
  const wrong = []
  let passed = 0
  const same = (name, found, expected) => {
    if (JSON.stringify(found) === JSON.stringify(expected)) passed++
    else wrong.push(`${name}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`)
  }
  const throws = (name, call) => {
    let error = null
    try { call() } catch (caught) { error = caught }
    same(name, error instanceof TypeError && error.message.startsWith('expected a string'), true)
  }
  for (const [entry, linker] of [['plain', plain], ['judge', judge]]) {
    // Offsets count UTF-16 units, and what is sliced by them is the link.
    const texts = ['👉👉example.com 𠀋', '見てhttp://例え.com/路径?q=𠀋#f。次', '\ud800example.com \udc00 info@例子.中国', 'a\0b example.org']
    for (const text of texts) {
      for (const link of linker.links(text)) {
        same(`${entry}: ${text}`, text.slice(link.start, link.end), link.text)
        same(`${entry}: ${text}: the host`, link.text.includes(link.host), true)
      }
    }
    same(`${entry}: offsets`, linker.links(texts[0]).map(({ start, end }) => [start, end]), [[4, 15]])
    same(`${entry}: lone surrogates`, linker.links(texts[2]).map(({ text }) => text), ['example.com', 'info@例子.中国'])
    same(`${entry}: kinds`, linker.links('ftp://example.com www.example.com example.com me@example.com').map(({ kind }) => kind), ['scheme', 'www', 'bare', 'email'])
    // linkify-it's shape: https://github.com/markdown-it/linkify-it has these.
    same(`${entry}: match`, linker.match('Site github.com! HTTPS://example.com/路。 me@example.com'), [
      { schema: '', index: 5, lastIndex: 15, raw: 'github.com', text: 'github.com', url: 'http://github.com', href: 'http://github.com' },
      { schema: 'https:', index: 17, lastIndex: 38, raw: 'HTTPS://example.com/路', text: 'HTTPS://example.com/路', url: 'HTTPS://example.com/路', href: 'https://example.com/%E8%B7%AF' },
      { schema: 'mailto:', index: 40, lastIndex: 54, raw: 'me@example.com', text: 'me@example.com', url: 'mailto:me@example.com', href: 'mailto:me@example.com' },
    ])
    same(`${entry}: no match`, linker.match('no link, helpers.py, http://example.invalid'), null)
    same(`${entry}: at start`, linker.matchAtStart('https://example.com/ and more')?.lastIndex, 20)
    same(`${entry}: an address at start`, [linker.matchAtStart('MailTo:first.last@example.com?subject=x and more')?.lastIndex, linker.matchAtStart('me@example.com')], [39, null])
    same(`${entry}: not at start`, [linker.matchAtStart('example.com'), linker.matchAtStart(' https://example.com')], [null, null])
    // As the first of all links has it, wherever one is that a scheme begins.
    for (const text of [...texts, 'http://a.example.com,http://b.com/(x http://c.com/ (http://d.com) "http://e.com/" http://раypal.com.http://f.com x://y http://user@g.com/ftp://h.com/、http://i.com']) {
      for (const { index } of text.matchAll(/[a-z]+:/g)) {
        const rest = text.slice(index)
        const first = linker.match(rest)?.[0]
        same(`${entry}: ${rest}: at start`, linker.matchAtStart(rest), first?.index === 0 && first.schema !== '' ? first : null)
      }
    }
    // `map` hands on an index as well.
    same(`${entry}: links of texts`, ['a.com b.com', 'a.com b.com'].map(linker.links).map(links => links.length), [2, 2])
    same(`${entry}: test`, ['see example.com', 'see nothing', 'helpers.py', ''].map(linker.test), [true, false, false, false])
    same(`${entry}: pretest`, ['see example.com', 'a。b', 'see nothing', ''].map(linker.pretest), [true, true, false, false])
    same(`${entry}: linkify`, linker.linkify('<b>「例え.com」です & "x"'), '&lt;b&gt;「<a href="http://xn--r8jz45g.com">例え.com</a>」です &amp; &quot;x&quot;')
    for (const name of ['links', 'linkify', 'match', 'matchAtStart', 'pretest', 'test']) throws(`${entry}: ${name} of null`, () => linker[name](null))
    // What is linked by one function is by the others.
    for (const text of ['example.com', 'helpers.py', 'hxxp://example[.]com', 'http://user@example.com/', 'раypal.com', 'Приветexample.com', 'x.invalid']) {
      const linked = linker.links(text).some(link => link.linked)
      same(`${entry}: ${text}`, [linker.test(text), linker.match(text) !== null, linker.linkify(text).includes('<a ')], [linked, linked, linked])
    }
    const long = 'a@b.c'.repeat(20000) + '.'.repeat(100000) + 'http://'.repeat(20000)
    const begun = performance.now()
    linker.test(long)
    same(`${entry}: linear`, performance.now() - begun < 20000, true)
  }
  same('judge: check', { ...judge.check('раypal.com'), words: [] }, { verdict: 'unsafe', reasons: judge.check('раypal.com').reasons, target: 'paypal.com', words: [], ascii: 'xn--ypal-43d9g.com', unicode: 'раypal.com' })
  same('judge: reasons', judge.check('раypal.com').reasons.includes('target-lookalike'), true)
  same('judge: words', judge.check('раypal.com').words.length > 1, true)
  same('judge: fine', judge.check('президент.рф'), { verdict: 'ok', reasons: [], target: null, words: [], ascii: 'xn--d1abbgf6aiiy.xn--p1ai', unicode: 'президент.рф' })
  same('judge: a URL', judge.check('https://www.paypal.com@example.org/').verdict, 'unsafe')
  same('judge: links', judge.links('see раypal.com').map(({ verdict, target, linked }) => [verdict, target, linked]), [['unsafe', 'paypal.com', false]])
  same('judge: linkify', judge.linkify('see раypal.com'), 'see xn--ypal-43d9g.com')
  same('judge: match', judge.match('see раypal.com'), null)
  same('judge: a public suffix', judge.match('co.uk'), null)
  const names = ['раypal.com', 'goоdreads.com'].map(host => judge.check(host).target)
  judge.know('# a page\ngoodreads.com\n')
  same('judge: names that it knows', [names, judge.check('goоdreads.com').target], [['paypal.com', null], 'goodreads.com'])
  let refused = ''
  try { judge.know('example.com\nno host\n') } catch (error) { refused = `${error.name}: ${error.message}` }
  same('judge: names that are none', refused, 'RangeError: line 2: expected a host name below a public suffix, found "no host"')
  same('judge: the names before them stay', judge.check('goоdreads.com').target, 'goodreads.com')
  judge.know('')
  throws('judge: names of no text', () => judge.know(null))
  throws('judge: check of undefined', () => judge.check(undefined))
  return { passed, wrong }
}
