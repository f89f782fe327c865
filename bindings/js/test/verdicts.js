// The package says of hosts what the command says: node verdicts.js PROGRAM FOLDER, where PROGRAM is `linkmilter`
// and FOLDER the repository. The hosts are those that its tables and tests name, and what they are mimicked by.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, know } from 'uts58/judge'
import often from 'uts58/names'

// The command has them built in.
know(often)

const LEAST = 300
const [program, folder] = process.argv.slice(2)
const lines = name => readFileSync(join(folder, name), 'utf8').split('\n').filter(line => line !== '' && !line.startsWith('#'))

const names = lines('crates/homograph/src/protected/names.txt').map(line => line.replace(/^=/, ''))
const listed = lines('crates/homograph/src/lists/listed.txt').filter((_, index) => index % 25 === 0)
const words = lines('crates/homograph/src/lists/twins.txt').filter((_, index) => index % 25 === 0)
const tested = ['cases-at-home.tsv', 'legit-exceptions.tsv'].flatMap(name => lines(`tests/data/${name}`).map(line => line.split('\t')[0]))
const cyrillic = { a: 'а', c: 'с', e: 'е', i: 'і', j: 'ј', o: 'о', p: 'р', s: 'ѕ', x: 'х', y: 'у' }
const twins = /[aceijopsxy]/g
// Not in the top-level domain: of one that its table lacks the command says so, or asks the DNS.
const mimics = names.flatMap(name => {
  const [, label, suffix] = name.match(/^([^.]+)(.*)$/)
  return [
    label.replace(/[aceijopsxy]/, letter => cyrillic[letter]) + suffix,
    label.replace(/[aeiou]/, letter => `${letter}\u0301`) + suffix,
    `${label}${label.at(-1)}${suffix}`,
    `${name}.example.org`,
    `login-${name}`,
  ]
})
const alphabets = words.map(word => `${word.replace(twins, letter => cyrillic[letter])}.com`)
const shapes = ['xn--zz.com', '-a.com', '127.1', '[::1]', 'example', 'example.invalid', 'co.uk', 'a\u200db.com', 'EXAMPLE.com', 'مثال.السعودية']
const hosts = [...new Set([...names, ...listed, ...mimics, ...alphabets, ...tested, ...shapes])]

// It says by its exit code that some of them deceive.
const { stdout: said } = spawnSync(program, ['check', '--json'], { input: hosts.join('\n') + '\n', encoding: 'utf8', maxBuffer: 1 << 28 })
const rows = said.split('\n').filter(Boolean).map(line => JSON.parse(line))
const wrong = []
if (rows.length !== hosts.length || hosts.length < LEAST) wrong.push(`${hosts.length} hosts, ${rows.length} answers`)
const kinds = new Set()
let ofTable = 0
hosts.forEach((host, index) => {
  const { input, verdict, reasons, target, ascii, unicode } = rows[index] ?? {}
  const expected = JSON.stringify({ verdict, reasons, target, ascii, unicode })
  const ours = check(host)
  // A link to a name in ASCII that cannot exist, or has joiners in it, is opened by nobody, and the command judges links.
  const form = ['idna-invalid', 'invisible-removed']
  const dead = /^[\x20-\x7e\u200c\u200d]*$/.test(host) && ours.verdict === 'invalid' && ours.reasons.every(reason => form.includes(reason))
  const found = JSON.stringify({ verdict: dead ? 'notice' : ours.verdict, reasons: ours.reasons, target: ours.target, ascii: ours.ascii, unicode: ours.unicode })
  // Organisations are a table of the command's, which reads them, and short names, beside words that ask for something, and
  // their labels with marks.
  const told = ['name-in-host', 'target-lookalike'].includes(String(reasons))
  const named = ours.verdict === 'ok' && verdict === 'suspect' && told
  // It says as well how an owner writes his own name.
  const owned = ours.verdict === 'suspect' && verdict === 'notice' && String(reasons) === 'target-lookalike'
  const ofCommand = named || owned
  if (ofCommand) ofTable += 1
  if (input !== host || found !== expected && !ofCommand) wrong.push(`${host}: the command says ${expected}, the package ${found}`)
  kinds.add(verdict)
})
if (ofTable > hosts.length / 25) wrong.push(`${ofTable} hosts are told by the table of the command alone`)
if (kinds.size < 4) wrong.push(`of all verdicts only ${[...kinds]}`)
for (const line of wrong.slice(0, 20)) console.error(line)
console.log(`verdicts of ${hosts.length} hosts: ${wrong.length} differ from those of the command`)
process.exitCode = wrong.length > 0 ? 1 : 0
