// What both entries are made of: the functions of a module of wasm in the shape that users see.

// A text; anything else is a mistake of the caller, and said.
function asText (text) {
  if (typeof text !== 'string') throw new TypeError(`expected a string, found ${text === null ? 'null' : typeof text}`)
  return text
}

export function api (wasm) {
  const find = (text, atStart) => wasm.links(asText(text), atStart).map(link => ({ ...link, text: text.slice(link.start, link.end) }))
  const links = text => find(text)
  const linked = text => links(text).filter(link => link.linked)
  // As linkify-it: `url` is as spelled, and programs such as markdown-it count on its length.
  const asMatch = ({ kind, schema, start, end, text, href }) => {
    const implied = kind === 'email' && !/^mailto:/i.test(text) ? 'mailto:' : kind === 'bare' || kind === 'www' ? 'http://' : ''
    return { schema: schema.toLowerCase(), index: start, lastIndex: end, raw: text, text, url: implied + text, href }
  }
  return {
    links,
    linkify: text => wasm.linkify(asText(text)),
    match (text) {
      const found = linked(text)
      return found.length > 0 ? found.map(asMatch) : null
    },
    matchAtStart (text) {
      const [first] = find(text, true)
      return first?.start === 0 && first.linked && (first.kind === 'scheme' || /^mailto:/i.test(text)) ? asMatch(first) : null
    },
    check: target => wasm.check(asText(target)),
    know (names) {
      const wrong = wasm.know(asText(names))
      if (wrong.length > 0) throw new RangeError(wrong.join('; '))
    },
    pretest: text => wasm.pretest(asText(text)),
    test: text => wasm.test(asText(text)),
  }
}
