// The tables of docs/peers.md: what each link finder passes of the official rows of UTS #58 and of the endings
// that users ask for. Usage: node peers.mjs RUST PYTHON DATA ENDINGS PAGE [--write]
import { readFileSync, writeFileSync } from 'node:fs'
import { existsSync } from 'node:fs'
import { run, spelled } from './clients.mjs'

const [, , rust, python, data, endingsFile, page, write] = process.argv
const lines = file => readFileSync(file, 'utf8').split('\n').filter(line => line !== '' && !line.startsWith('#'))
const bare = marked => marked.replace(/[⸠⸡]/gu, '')
const wanted = marked => [...marked.matchAll(/⸠([^⸡]*)⸡/gu)].map(([, link]) => link)

const endings = lines(endingsFile).map(line => line.split('\t')).map(([name, marked]) => ({ name, marked }))
const detection = lines(`${data}/LinkDetectionTest.txt`)
const formatting = []
for (let at = 0, all = lines(`${data}/LinkFormattingTest.txt`); at + 1 < all.length; at += 2) formatting.push({ source: all[at], result: all[at + 1] })

const texts = [...endings.map(({ marked }) => bare(marked)), ...detection.map(bare), ...formatting.map(({ source }) => source)]
const answers = { ...JSON.parse(await run(rust, [], JSON.stringify(texts))), ...JSON.parse(await run(python, [new URL('peers.py', import.meta.url).pathname], JSON.stringify(texts))) }
for (const [name, ask] of Object.entries(spelled)) answers[name] = texts.map(ask)
const { format, ...finders } = answers
const letter = finders.detect
delete finders.detect

const same = (found, expected) => JSON.stringify(found) === JSON.stringify(expected)
const [endingsAt, detectionAt, formattingAt] = [0, endings.length, endings.length + detection.length]
const names = ['uts58', ...Object.keys(finders).filter(name => name !== 'uts58')]
const passes = (found, at, rows) => rows.filter((row, n) => same(found[at + n], wanted(row))).length
const ends = name => endings.filter(({ marked }, n) => same(finders[name][endingsAt + n], wanted(marked))).length
const shown = (name, n) => name === 'uts58' ? format[formattingAt + n] : finders[name][formattingAt + n].join(' ')
const versions = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')).dependencies
const fixed = Object.fromEntries(readFileSync(new URL('requirements.txt', import.meta.url), 'utf8').trim().split('\n').map(line => line.split('==')))
const version = name => versions[name] ?? fixed[name] ?? { linkify: '0.11.0', uts58: 'this one' }[name]
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
const code = text => `\`${text.replaceAll('|', '\\|').replaceAll('\u3000', '<U+3000>').replaceAll('\u00a0', '<U+00A0>')}\``
const fresh = {
  rows: table(['finder', 'version', `detection, of ${detection.length}`, `formatting, of ${formatting.length}`, `endings, of ${endings.length}`], names.map(name => [
    name, version(name),
    name === 'uts58' ? passes(letter, detectionAt, detection) : passes(finders[name], detectionAt, detection),
    formatting.filter(({ result }, n) => shown(name, n) === result).length,
    ends(name),
  ])),
  endings: table(['behind the link', 'text', ...names], endings.map(({ name: ending, marked }, n) => [
    ending, code(marked), ...names.map(name => same(finders[name][endingsAt + n], wanted(marked)) ? 'yes' : '–'),
  ])),
}
const old = existsSync(page) ? readFileSync(page, 'utf8') : ''
const now = Object.entries(fresh).reduce((text, [name, rows]) => text.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- end of ${name} -->)`), (_, open, close) => open + rows + close), old)
console.log(fresh.rows)
if (ends('uts58') !== endings.length) {
  console.log('an ending that we do not pass')
  process.exitCode = 1
}
if (write === '--write') writeFileSync(page, now)
else if (now !== old) {
  console.log(`${page} says otherwise than the finders: tests/run peers --write`)
  process.exitCode = 1
}
