// Messages with one line that holds a shape, and what a client has before it when it shows them.
import { parse } from 'parse5'

const LEAD = ['please read ', '', 'Dear customer: ']
const END = [' today.', '', ' - thank you']
const SPLITS = ['<b>|</b>', '<wbr>|', '<!-- x -->|', '<span style="color:red">|</span>', '<font>|</font>', '<i></i>|', '<a name=x>|</a>', '<!---->|<wbr>', '<em><strong>|</strong></em>']
const INLINE = new Set(['a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'dfn', 'em', 'font', 'i', 'kbd', 'mark', 'q', 's', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'tt', 'u', 'wbr'])

export const forms = {
  text (shape, dice) {
    return { type: 'text/plain; charset=utf-8', body: line(shape, dice) }
  },
  html (shape, dice) {
    return { type: 'text/html; charset=utf-8', body: `<html><body><p>${escaped(line(shape, dice))}</p></body></html>` }
  },
  'html, host split' (shape, dice) {
    const [host] = shape.host
    const letters = [...host]
    const at = 1 + dice.below(letters.length - 1)
    const [open, close] = dice.pick(SPLITS).split('|')
    // A second split between the pieces, every other time.
    const [scheme, end] = dice.below(2) === 0 ? [shape.scheme, shape.behind] : [`${shape.scheme}\0<b>`, `\0</b>${shape.behind}`]
    const spelled = `${letters.slice(0, at).join('')}\0${open}\0${letters.slice(at).join('')}\0${close}\0`
    const [lead, tail] = [dice.pick(LEAD), dice.pick(END)]
    const markup = piece => piece.split('\0').map(piece => /^<.*>$/.test(piece) && piece.length > 1 ? piece : escaped(piece)).join('')
    const body = escaped(lead + shape.before) + markup(`${scheme}\0`) + markup(spelled) + markup(`\0${end}`) + escaped(tail)
    return { type: 'text/html; charset=utf-8', body: `<div>${body}</div>` }
  },
  flowed (shape, dice) {
    const letters = [...line(shape, dice)]
    const quote = dice.pick(['', '', '> '])
    const at = 1 + dice.below(letters.length)
    const lines = [letters.slice(0, at).join(''), letters.slice(at).join('')].filter(line => line !== '')
    const stuffed = lines.map(line => quote + (quote === '' && /^( |>|From )/.test(line) ? ` ${line}` : line))
    return { type: 'text/plain; charset=utf-8; format=flowed; delsp=yes', body: stuffed.join(' \r\n') }
  },
}

export const spelled = ({ before, scheme, host: [host], behind }) => before + scheme + host + behind

function line (shape, dice) {
  return dice.pick(LEAD) + spelled(shape) + dice.pick(END)
}

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export function message (form, shape, dice) {
  const { type, body } = forms[form](shape, dice)
  const encoding = dice.pick(['8bit', '8bit', 'base64', 'quoted-printable'])
  const encoded = encode(Buffer.from(`Hello,\r\n\r\n${body}\r\n`), encoding)
  const head = `From: a@sender.example\r\nSubject: a message\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), encoded])
}

// Every text that a client may look at: as shown, and piece by piece.
export function texts (message) {
  const at = message.indexOf('\r\n\r\n')
  const head = message.subarray(0, at).toString()
  const encoding = /^content-transfer-encoding: *(.*)$/im.exec(head)?.[1].trim()
  const body = decode(message.subarray(at + 4), encoding).toString('utf8')
  if (/^content-type: *text\/html/im.test(head)) return html(body)
  const all = [body]
  if (/format=flowed/i.test(head)) all.unshift(unflowed(body))
  return all
}

function html (body) {
  const shown = ['']
  const nodes = []
  const open = [parse(body)]
  // Depth first, in order; a marker where an element that is no inline one ends.
  while (open.length > 0) {
    const node = open.pop()
    if (node === null) { shown.push(''); continue }
    if (node.nodeName === '#text') {
      nodes.push(node.value)
      shown[shown.length - 1] += node.value
      continue
    }
    const block = node.tagName !== undefined && !INLINE.has(node.tagName)
    if (block) { shown.push(''); open.push(null) }
    for (const child of (node.childNodes ?? []).toReversed()) open.push(child)
  }
  return [...shown, ...nodes].filter(text => text.trim() !== '')
}

function unflowed (body) {
  let out = ''
  let open = false
  for (const line of body.split('\r\n')) {
    const [, quote, content] = /^(>*) ?(.*)$/su.exec(line)
    out += open ? '' : `\n${quote === '' ? '' : `${quote} `}`
    open = content.endsWith(' ') && content !== '-- '
    out += open ? content.slice(0, -1) : content
  }
  return out
}

function encode (bytes, encoding) {
  if (encoding === 'base64') return Buffer.from(bytes.toString('base64').replace(/.{76}/g, '$&\r\n') + '\r\n')
  if (encoding === '8bit') return bytes
  let [out, width] = ['', 0]
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    const coded = byte === 13 || byte === 10 || (byte >= 33 && byte <= 126 && character !== '=') || (byte === 32 && width < 70)
      ? character
      : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
    if (byte !== 13 && byte !== 10 && width + coded.length > 75) { out += '=\r\n'; width = 0 }
    out += coded
    width = byte === 10 ? 0 : width + coded.length
  }
  // A space at the end of a line is lost on the way.
  return Buffer.from(out.replace(/ \r\n/g, '=20\r\n'))
}

function decode (bytes, encoding) {
  if (encoding === 'base64') return Buffer.from(bytes.toString(), 'base64')
  if (encoding !== 'quoted-printable') return bytes
  const text = bytes.toString('latin1').replace(/[ \t]+\r\n/g, '\r\n').replace(/=\r\n/g, '')
  return Buffer.from(text.replace(/=([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16))), 'latin1')
}
