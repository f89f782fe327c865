// Both entries in a page: the result stands in the document's element.
import * as plain from '../uts58/browser.js'
import * as judge from '../uts58/judge.browser.js'
import { run } from './cases.js'

const text = document.querySelector('#text')
text.addEventListener('input', () => { document.querySelector('#shown').innerHTML = judge.linkify(text.value) })
document.documentElement.dataset.result = JSON.stringify(run(plain, judge))
