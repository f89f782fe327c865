// Compiled only: what the types promise.
import { links, match, type Link, type Match } from 'uts58'
import { check, know, links as judged, type Verdict } from 'uts58/judge'
import names from 'uts58/names'

const found: Link[] = links('example.com')
const href: string | null = found[0].href
const matches: Match[] | null = match('example.com')
const verdict: Verdict = check('example.com').verdict
const words: string[] = judged('example.com')[0].words
const nothing: void = know(names)
// @ts-expect-error the plain entry judges nothing
links('example.com')[0].verdict
export { href, matches, nothing, verdict, words }
