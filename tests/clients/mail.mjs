// Real mail of which every link was defanged: no client links a host that the filter edited.
// Usage: node mail.mjs EXAMPLE PYTHON TEXTS EXCEPTIONS [--all]
// EXAMPLE: clients.rs as a program.
// TEXTS: lines {name, text, hosts}, as tests/live.rs writes them.
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import tlds from 'tlds' with { type: 'json' }
import { links, names } from './clients.mjs'
import { hostOf } from './url.mjs'

const [, , example, python, file, exceptionsFile, all] = process.argv
const exceptions = new Set(readFileSync(exceptionsFile, 'utf8').split('\n')
  .filter(line => line.startsWith('live-clients\t')).map(line => line.split('\t')[1]))

// A link ends with its line: a line is asked once, however many messages quote it.
const lines = new Map()
const edited = new Map()
let texts = 0
for await (const row of createInterface({ input: createReadStream(file) })) {
  const { name, text, hosts } = JSON.parse(row)
  texts += 1
  edited.set(name, new Set(hosts))
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (!lines.has(line)) lines.set(line, new Set())
    lines.get(line).add(name)
  }
}
const found = await links([...lines.keys()], { python, example, knownTlds: [] })

const live = new Map()
const left = new Map()
for (const [line, entry] of found) {
  for (const client of names) {
    for (const url of entry[client]) {
      const host = hostOf(url)
      if (host === null) continue
      for (const name of lines.get(line)) {
        if (edited.get(name).has(host) && !live.has(name)) live.set(name, `${client} links ${host}: ${line.trim().slice(0, 160)}`)
      }
      const kind = kindOf(host, line)
      if (!left.has(kind)) left.set(kind, new Map())
      if (!left.get(kind).has(host)) left.get(kind).set(host, `${client}: ${line.trim().slice(0, 100)}`)
    }
  }
}

const fresh = [...live].filter(([name]) => !exceptions.has(name))
const stale = [...exceptions].filter(name => !live.has(name))
console.log(`mail: ${texts} texts of ${edited.size} messages, ${live.size - fresh.length} exceptions, ${fresh.length} live`)
for (const [name, what] of fresh.slice(0, all ? Infinity : 40)) console.log(`  ${name}: ${what}`)
for (const name of stale) console.log(`  an exception that holds no more: ${name}`)
console.log('what clients link of it, hosts by class:')
for (const [kind, hosts] of [...left].sort()) {
  console.log(`  ${String(hosts.size).padStart(5)} ${kind}, as ${[...hosts.keys()].slice(0, 3).join(' ')}`)
  if (all) for (const [host, what] of hosts) console.log(`          ${host}  ${what}`)
}
process.exit(fresh.length + stale.length > 0 ? 1 : 0)

// What makes it no link to the filter, by what stands round it in the line.
function kindOf (host, line) {
  const labels = host.split('.')
  if (/^[\d.]+$|^\[/.test(host)) return 'bare IP addresses: no link by UTS #58'
  if (labels.length === 1) return 'one label: no registrable domain (S9)'
  if (!tlds.includes(labels.at(-1)) && !labels.at(-1).startsWith('xn--')) return 'a top-level domain that does not exist'
  const at = line.toLowerCase().indexOf(host)
  const [before, behind] = [line[at - 1] ?? ' ', line[at + host.length] ?? ' ']
  if (at < 0) return 'outside ASCII, or spelled otherwise'
  if (/[\p{L}\p{N}_-]/u.test(behind)) return 'a top-level domain cut out of a longer word'
  if (/[/\\]/.test(before)) return 'a file name behind a slash'
  if (/[\p{L}\p{N}_#@:=.-]/u.test(before)) return 'the end of a longer word'
  return 'a word by itself'
}
