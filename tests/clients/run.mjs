// Clients as witnesses: what the filter leaves of one deceptive host, and what each client links of it.
// Usage: node run.mjs WITNESS PYTHON [--random N] [--all]
import { parseArgs } from 'node:util'
import { frames, links, names } from './clients.mjs'
import { forms, message, spelled, texts } from './messages.mjs'
import { chance, hosts, random, single } from './shapes.mjs'

const SEED = 58
const [, , witness, python, ...options] = process.argv
const { values: { random: randomCount, all } } = parseArgs({
  args: options, options: { random: { type: 'string', default: '12000' }, all: { type: 'boolean', default: false } },
})
const browserHost = host => new URL(`http://${host}/`).hostname
const knownTlds = [...new Set(hosts.flatMap(([, domain]) => [domain, browserHost(domain)]).map(domain => domain.split('.').at(-1)))]
const known = new Map(hosts.map(([host, domain]) => [host, browserHost(domain)]))

const shapes = [
  ...single().map(shape => ({ shape, set: 'single' })),
  ...random(Number(randomCount), SEED).map(shape => ({ shape, set: 'random' })),
]
const cases = Object.keys(forms).flatMap(form => {
  const dice = chance(SEED + form.length)
  return shapes.map(({ shape, set }) => ({ form, set, shape, domain: known.get(shape.host[0]), sent: message(form, shape, dice) }))
})
console.log(`${cases.length} messages: ${shapes.filter(({ set }) => set === 'single').length} single variants and ${randomCount} random ones, in ${Object.keys(forms).length} forms`)

const received = await frames(witness, ['rewrite'], cases.map(({ sent }) => sent))
cases.forEach((one, at) => {
  one.shown = texts(one.sent)
  one.left = texts(received[at])
  one.edited = !one.sent.equals(received[at])
})
const found = await links(cases.flatMap(({ shown, left }) => [...shown, ...left]), { python, witness, knownTlds })

const counts = new Map()
const add = (key, name, count = 1) => {
  if (!counts.has(key)) counts.set(key, {})
  counts.get(key)[name] = (counts.get(key)[name] ?? 0) + count
}
const live = []
for (const one of cases) {
  const shown = clients(one.shown, one.domain)
  if (shown.size === 0) { add(`${one.form}, ${one.set}`, 'dud'); continue }
  add(`${one.form}, ${one.set}`, 'alive before')
  const left = clients(one.left, one.domain)
  for (const name of shown.keys()) add(name, `${one.set} before`)
  for (const [name, url] of left) { add(name, `${one.set} after`); live.push({ one, name, url }) }
  if (left.size > 0) add(`${one.form}, ${one.set}`, 'alive after')
}
console.table(Object.fromEntries(counts))

// What the live ones have in common: single variants first, they name the class.
const one = live.filter(({ one }) => one.set === 'single')
for (const part of ['before', 'scheme', 'host', 'behind']) {
  const alike = groups(one.length > 0 ? one : live, ({ one: { shape } }) => part === 'host' ? shape.host[0] : shape[part])
  console.log(`\nlive by ${part}, ${one.length > 0 ? 'single' : 'random'} variants:`)
  const sorted = [...alike].sort(([, a], [, b]) => b.length - a.length)
  for (const [key, group] of sorted.slice(0, all ? Infinity : 25)) {
    const clients = new Set(group.map(({ name }) => name))
    const { form, shape } = group[0].one
    console.log(`  ${String(group.length).padStart(5)} ${JSON.stringify(key)} in ${form}: ${JSON.stringify(spelled(shape))} (${[...clients].join(' ')})`)
  }
}
if (all) {
  console.log('\nall that is live:')
  for (const [key, group] of groups(live, ({ one }) => `${one.set}\t${one.form}\t${JSON.stringify(spelled(one.shape))}`)) {
    const { one, url } = group[0]
    console.log(`  ${key}\t${group.map(({ name }) => name).join(' ')}\t${url}\t${one.edited ? 'edited' : 'untouched'}\t${JSON.stringify(one.left)}`)
  }
}
process.exit(live.length > 0 ? 1 : 0)

function groups (list, name) {
  const groups = new Map()
  for (const item of list) {
    const key = name(item)
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(item)
  }
  return groups
}

// The clients that link the domain in one of the texts, with the URL.
function clients (texts, domain) {
  const alive = new Map()
  for (const text of texts) {
    const entry = found.get(text)
    if (entry === undefined) continue
    for (const name of names) {
      if (alive.has(name)) continue
      const url = entry[name].find(url => leads(url, domain))
      if (url !== undefined) alive.set(name, url)
    }
  }
  return alive
}

// Whether a browser or a mail program that follows the URL gets to the domain.
function leads (url, domain) {
  const host = hostOf(url)
  return host === domain || (host?.endsWith(`.${domain}`) ?? false)
}

function hostOf (url) {
  try {
    const parsed = new URL(url, 'http://base.invalid/')
    if (parsed.protocol === 'mailto:') return new URL(`http://${parsed.pathname.split('@').slice(1).pop()}/`).hostname
    if (!['http:', 'https:', 'ftp:'].includes(parsed.protocol)) return null
    return parsed.hostname.replace(/\.$/, '')
  } catch {
    return null
  }
}
