// what the filter leaves of one deceptive host, and what each client links of it.
// Usage: node run.mjs LINKMILTER EXAMPLE PYTHON UNREACHED [--random N] [--all]
// EXAMPLE: clients.rs as a program.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { frames, links, names, run } from './clients.mjs'
import { forms, message, spelled, texts } from './messages.mjs'
import { chance, hosts, random, single } from './shapes.mjs'
import { hostOf } from './url.mjs'

const SEED = 58
const [, , linkmilter, example, python, unreached, ...options] = process.argv
const { values: { random: randomCount, all } } = parseArgs({
  args: options, options: { random: { type: 'string', default: '12000' }, all: { type: 'boolean', default: false } },
})
const asciiHost = host => new URL(`http://${host}/`).hostname
const domains = new Map(hosts.map(([host, domain]) => [host, asciiHost(domain)]))
const knownTlds = [...new Set(hosts.flatMap(([, domain]) => [domain, asciiHost(domain)]).map(domain => domain.split('.').at(-1)))]

const shapes = [
  ...single().map(shape => ({ shape, set: 'single' })),
  ...random(Number(randomCount), SEED).map(shape => ({ shape, set: 'random' })),
]
const cases = Object.keys(forms).flatMap(form => {
  const dice = chance(SEED + form.length)
  return shapes.map(({ shape, set }) => ({ form, set, shape, domain: domains.get(shape.host[0]), sent: message(form, shape, dice) }))
})
const singles = shapes.filter(({ set }) => set === 'single').length
console.log(`${cases.length} messages: ${singles} single variants and ${randomCount} random ones, in ${Object.keys(forms).length} forms`)

const received = await frames(example, ['rewrite'], cases.map(({ sent }) => sent))
// One process for all of them does what the command does for each.
for (let at = 0; at < cases.length; at += Math.ceil(cases.length / 40)) {
  const out = await run(linkmilter, ['rewrite', '--no-header', '--config', '/dev/null'], cases[at].sent)
  if (!out.equals(received[at])) throw new Error(`linkmilter rewrite makes something else of ${cases[at].sent}`)
}
cases.forEach((one, at) => {
  one.shown = texts(one.sent)
  one.left = texts(received[at])
  one.edited = !one.sent.equals(received[at])
})
const found = await links(cases.flatMap(({ shown, left }) => [...shown, ...left]), { python, example, knownTlds })

// Alive: a client links the domain. A variant that nobody links before the filter proves nothing.
const counts = new Map()
const alive = []
for (const one of cases) {
  const row = `${one.form}, ${one.set}`
  const before = clients(one.shown, one.domain)
  count(row, before.size > 0 ? 'alive before' : 'dud')
  if (before.size === 0) continue
  const after = clients(one.left, one.domain)
  if (after.size > 0) count(row, 'alive after')
  for (const name of before.keys()) count(name, `${one.set} before`)
  for (const [name, url] of after) {
    count(name, `${one.set} after`)
    alive.push({ one, name, url })
  }
}
console.table(Object.fromEntries(counts))

const rows = readFileSync(unreached, 'utf8').split('\n').filter(line => line !== '' && !line.startsWith('#')).map(line => line.split('\t'))
for (const row of rows) {
  if (row.length !== 7 || row[6] === '') throw new Error(`${unreached}: expected client, form, before, scheme, host, behind and a reason, found ${row.join('|')}`)
}
const known = alive.filter(live => rows.some(row => holds(row, live)))
const fresh = alive.filter(live => !rows.some(row => holds(row, live)))
const stale = rows.filter(row => !alive.some(live => holds(row, live)))
report(fresh)
for (const row of stale) console.log(`a row that holds no more: ${row.join('\t')}`)
console.log(`${fresh.length} live, ${known.length} out of reach by ${rows.length} rows`)
process.exit(fresh.length + stale.length > 0 ? 1 : 0)

function count (row, name) {
  if (!counts.has(row)) counts.set(row, {})
  counts.get(row)[name] = (counts.get(row)[name] ?? 0) + 1
}

// The clients that link the domain in one of the texts, with the URL.
function clients (texts, domain) {
  const linked = new Map()
  for (const text of texts) {
    const entry = found.get(text)
    if (entry === undefined) continue
    for (const name of names) {
      if (linked.has(name)) continue
      const url = entry[name].find(url => leads(url, domain))
      if (url !== undefined) linked.set(name, url)
    }
  }
  return linked
}

function leads (url, domain) {
  const host = hostOf(url)
  return host === domain || (host?.endsWith(`.${domain}`) ?? false)
}

// Whether a row of unreached.tsv speaks of it: each cell as it is, escaped, or * for any.
function holds (row, { one: { form, shape }, name }) {
  const cells = [name, form, shape.before, shape.scheme, shape.host[0], shape.behind]
  return cells.every((cell, at) => row[at] === '*' || row[at] === escaped(cell))
}

function escaped (text) {
  return [...text].map(c => /[\p{C}\p{Z}\\*]/u.test(c) ? `\\u{${c.codePointAt(0).toString(16)}}` : c).join('')
}

// What the live ones have in common: single variants name the class, so they come first.
function report (live) {
  const single = live.filter(({ one }) => one.set === 'single')
  const shown = single.length > 0 ? single : live
  for (const part of ['before', 'scheme', 'host', 'behind']) {
    const alike = groups(shown, ({ one: { shape } }) => part === 'host' ? shape.host[0] : shape[part])
    if (alike.size === 0) continue
    console.log(`\nlive by ${part}, ${single.length > 0 ? 'single' : 'random'} variants:`)
    const sorted = [...alike].sort(([, a], [, b]) => b.length - a.length)
    for (const [key, group] of sorted.slice(0, all ? Infinity : 25)) {
      const names = new Set(group.map(({ name }) => name))
      const { form, shape } = group[0].one
      console.log(`  ${String(group.length).padStart(5)} ${escaped(key)} in ${form}: ${escaped(spelled(shape))} (${[...names].join(' ')})`)
    }
  }
  if (!all) return
  console.log('\nlive: set, form, shape, clients, URL, what the filter did, what is left')
  for (const [key, group] of groups(live, ({ one }) => `${one.set}\t${one.form}\t${escaped(one.shape.before)}|${escaped(one.shape.scheme)}|${escaped(one.shape.host[0])}|${escaped(one.shape.behind)}`)) {
    const { one, url } = group[0]
    console.log(`  ${key}\t${group.map(({ name }) => name).join(' ')}\t${url}\t${one.edited ? 'edited' : 'untouched'}\t${JSON.stringify(one.left)}`)
  }
}

function groups (list, name) {
  const groups = new Map()
  for (const item of list) {
    const key = name(item)
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(item)
  }
  return groups
}
