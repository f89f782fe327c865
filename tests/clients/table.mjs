// The table of docs/clients.md: what each client makes of one way to write a host.
// Usage: node table.mjs EXAMPLE PYTHON PAGE [--write]
// EXAMPLE: clients.rs as a program.
import { readFileSync, writeFileSync } from 'node:fs'
import { links, names } from './clients.mjs'
import { hostOf } from './url.mjs'

const [, , example, python, page, write] = process.argv
const WRITTEN = [
  'http://example.com', 'www.example.com', 'example.com', 'user@example.com', 'mailto:user@example.com', 'mailto:example.com', 'ftp://example.com',
  'http:example.com', 'http:/example.com', 'http:///example.com', 'https:\\\\example.com', '//example.com', '\\\\example.com', '/example.com',
  'seehttp://example.com', 'see:example.com', 'see/example.com', '次はexample.com', 'наexample.com', 'éexample.com', 'x_example.com', '👉example.com', '_example.com', '.example.com', '-example.com', '@example.com',
  'http://user@example.com', 'http://a:b@example.com', 'hxxp://example.com', 'http://http://example.com', 'http://_example.com',
  'example.com@', 'example.com@x', 'http://example.com@x', 'http://example.com:99999', 'http://example.com%20', 'http://example.com%2E', 'http://example.com[.]', 'example.com_x', 'example.com-x', 'example.com0', 'example.comです', 'example.comда', 'example.com。次',
  'http://example。com', 'example。com', 'http://example․com', 'exam\u00ADple.com', 'exam\u200Bple.com', 'http://exam\u200Bple.com',
  'http://bücher.de', 'bücher.de', 'user@bücher.de', 'пример.рф', 'http://пример.рф', 'xn--e1afmkfd.xn--p1ai', 'example[.]com', 'http://example[.]com', 'hxxp://example[.]com',
]
const TARGET = new Set(['example.com', 'www.example.com', 'xn--bcher-kva.de', 'xn--e1afmkfd.xn--p1ai'])

const found = await links(WRITTEN, { python, example, knownTlds: ['рф', 'xn--p1ai'] })
const shown = text => `\`${[...text].map(c => /[\u00AD\u200B]/u.test(c) ? `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}>` : c).join('')}\``
const cell = (text, name) => {
  const hosts = (found.get(text)?.[name] ?? []).map(hostOf).filter(host => host !== null)
  if (hosts.some(host => TARGET.has(host))) return 'yes'
  return hosts.length > 0 ? `\`${hosts[0]}\`` : '–'
}
const table = [
  ['written', ...names],
  ['---', ...names.map(() => '---')],
  ...WRITTEN.map(text => [shown(text), ...names.map(name => cell(text, name))]),
].map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')

const old = readFileSync(page, 'utf8')
const fresh = old.replace(/(<!-- table -->\n)[^]*?(\n<!-- end of the table -->)/, (_, open, close) => open + table + close)
if (write === '--write') writeFileSync(page, fresh)
else if (fresh !== old) {
  console.log(`${page} says otherwise than the clients: tests/run clients --write`)
  process.exitCode = 1
}
