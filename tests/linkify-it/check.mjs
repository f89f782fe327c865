// Reads lines {name, text, hosts}: no link that linkify-it finds may lead to one of the hosts.
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import LinkifyIt from 'linkify-it'
import tlds from 'tlds' with { type: 'json' }

const [, , texts, exceptionsFile] = process.argv
const linkify = new LinkifyIt({}, { fuzzyLink: true, fuzzyEmail: true, fuzzyIP: false }).tlds(tlds)

// The tool must see what it is asked about.
for (const text of ['see http://example.com/x', 'example.com', 'mail a@example.com']) {
  if (hosts(text).join() !== 'example.com') throw new Error(`linkify-it sees nothing in ${text}`)
}

const exceptions = new Set(
  readFileSync(exceptionsFile, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('live-npm\t'))
    .map(line => line.split('\t')[1])
)
const wrong = new Map()
let parts = 0
for await (const line of createInterface({ input: createReadStream(texts) })) {
  const { name, text, hosts: edited } = JSON.parse(line)
  parts += 1
  const known = new Set(edited)
  const live = hosts(text).find(host => known.has(host))
  if (live && !wrong.has(name)) wrong.set(name, live)
}
const fresh = [...wrong].filter(([name]) => !exceptions.has(name))
const stale = [...exceptions].filter(name => !wrong.has(name))
console.log(`linkify-it: ${parts} texts, ${wrong.size - fresh.length} exceptions, ${fresh.length} live`)
for (const [name, host] of fresh.slice(0, 40)) console.log(`  ${name}: ${host}`)
for (const name of stale) console.log(`  an exception that holds no more: ${name}`)
process.exit(fresh.length || stale.length ? 1 : 0)

function hosts (text) {
  return (linkify.match(text) ?? []).flatMap(({ url }) => {
    try {
      const parsed = new URL(url)
      if (parsed.protocol === 'mailto:') return [parsed.pathname.split('@').pop().toLowerCase()]
      return [parsed.hostname.toLowerCase()]
    } catch {
      return []
    }
  })
}
