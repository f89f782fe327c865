// The clients: each takes texts and says which links it makes of every one.
import { spawn } from 'node:child_process'
import anchorme from 'anchorme'
import { Autolinker } from 'autolinker'
import { LinkifyIt } from 'linkify-it'
import * as linkifyjs from 'linkifyjs'
import MarkdownIt from 'markdown-it'
import tlds from 'tlds' with { type: 'json' }

const everything = { fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true }
const linkifyIt = new LinkifyIt(everything).tlds(tlds)
const markdownIt = new MarkdownIt({ linkify: true })
markdownIt.linkify.set(everything)
const anchors = anchorme.default ?? anchorme

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const unescaped = text => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
const hrefs = html => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => unescaped(href))

// Asked text by text in this process.
const here = {
  'linkify-it': text => (linkifyIt.match(text) ?? []).map(({ url }) => url),
  linkifyjs: text => linkifyjs.find(text).map(({ href }) => href),
  autolinker: text => Autolinker.parse(escaped(text)).map(match => match.getAnchorHref()),
  anchorme: text => hrefs(anchors({ input: escaped(text) })),
  'markdown-it': text => hrefs(markdownIt.render(text)),
}

// The same, but the links as they stand in the text.
const shown = html => [...html.matchAll(/<a [^>]*>([^]*?)<\/a>/g)].map(([, text]) => unescaped(text))
export const spelled = {
  'linkify-it': text => (linkifyIt.match(text) ?? []).map(({ raw }) => raw),
  linkifyjs: text => linkifyjs.find(text).map(({ value }) => value),
  autolinker: text => Autolinker.parse(escaped(text)).map(match => unescaped(match.getMatchedText())),
  anchorme: text => shown(anchors({ input: escaped(text) })),
  'markdown-it': text => shown(markdownIt.render(text)),
}

// Texts that hold nothing a link could be made of.
const barren = text => !/[.:@/\\。．｡․]/u.test(text)

export const names = [...Object.keys(here), 'bleach', 'linkify-it-py', 'linkify']

// The links of every text: a map from text to { client: [URL, …] }.
export async function links (texts, { python, example, knownTlds }) {
  const asked = [...new Set(texts)].filter(text => !barren(text))
  const [py, rust] = await Promise.all([
    run(python, [new URL('clients.py', import.meta.url).pathname, JSON.stringify(knownTlds)], JSON.stringify(asked))
      .then(out => JSON.parse(out.toString())),
    frames(example, ['links'], asked.map(text => Buffer.from(text))),
  ])
  const found = new Map()
  asked.forEach((text, at) => {
    const entry = { bleach: py.bleach[at], 'linkify-it-py': py['linkify-it-py'][at], linkify: JSON.parse(rust[at].toString()) }
    for (const [name, ask] of Object.entries(here)) entry[name] = ask(text)
    found.set(text, entry)
  })
  return found
}

// Asks a program that answers frames: four bytes of length, then so many bytes.
export async function frames (program, args, inputs) {
  const packed = inputs.flatMap(input => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(input.length)
    return [length, input]
  })
  const out = await run(program, args, Buffer.concat(packed))
  const answers = []
  for (let at = 0; at < out.length;) {
    const length = out.readUInt32BE(at)
    answers.push(out.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  if (answers.length !== inputs.length) throw new Error(`${program}: ${inputs.length} asked, ${answers.length} answered`)
  return answers
}

export function run (program, args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const chunks = []
    child.stdout.on('data', chunk => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', code => code === 0 ? resolve(Buffer.concat(chunks)) : reject(new Error(`${program} ended with ${code}`)))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
