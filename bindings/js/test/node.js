// Both entries in node, then as the linkifier of markdown-it: node node.js, where `uts58` is installed.
import MarkdownIt from 'markdown-it'
import * as plain from 'uts58'
import * as judge from 'uts58/judge'
import { run } from './cases.js'

const { passed, wrong } = run(plain, judge)
const text = '「例え.com」です，https://example.com/路径。（中文） *me@example.com* <b>'
const expected = '<p>「<a href="http://xn--r8jz45g.com">例え.com</a>」です，<a href="https://example.com/%E8%B7%AF%E5%BE%84">https://example.com/路径</a>。（中文） <em><a href="mailto:me@example.com">me@example.com</a></em> &lt;b&gt;</p>\n'
for (const linker of [plain, judge]) {
  const markdown = new MarkdownIt({ linkify: true })
  markdown.linkify = linker
  const shown = markdown.render(text)
  if (shown !== expected) wrong.push(`markdown-it: expected ${expected}, found ${shown}`)
}
for (const line of wrong) console.error(line)
console.log(`node ${process.version}: ${passed + 2 - wrong.length} passed, ${wrong.length} failed`)
process.exit(wrong.length > 0 ? 1 : 0)
