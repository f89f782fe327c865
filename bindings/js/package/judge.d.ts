import type { Link as PlainLink, Match } from './index.d.ts'

/** `unsafe` deceives a careful reader; `suspect` could; `invalid` is no host at all. */
export type Verdict = 'ok' | 'notice' | 'suspect' | 'unsafe' | 'invalid'

/** What was found of a host or a link. */
export interface Judgement {
  verdict: Verdict
  /** Codes of the reasons, such as `target-lookalike`. */
  reasons: string[]
  /** The well-known name that it reads as; `null` if none. */
  target: string | null
  /** The judgement in words. */
  words: string[]
}

/** A link, judged: the verdict is the worst of any bounds that a program may give it. */
export interface Link extends PlainLink, Judgement {}

/** A host judged. */
export interface Check extends Judgement {
  /** The host in A-label form (Punycode); empty if there is none. */
  ascii: string
  /** The host in U-label form; empty if there is none. */
  unicode: string
}

export type { Match }

/** Every link and mail address of a text, in order, judged. */
export function links (text: string): Link[]
/** The text as HTML with anchors: none of what may deceive, and unsafe hosts in Punycode. */
export function linkify (text: string): string
/** The links that `linkify` makes anchors of, or `null` if there are none. */
export function match (text: string): Match[] | null
/** The link with a scheme that the text begins with, or `null`. */
export function matchAtStart (text: string): Match | null
/** Whether the text may hold a link: quick, and wrong at times on the side of yes. */
export function pretest (text: string): boolean
/** Whether `match` finds any. */
export function test (text: string): boolean
/** Takes names that readers know, in place of those taken before: a host name a line, `#` begins a comment. A host that reads as one of them is marked. `uts58/names` has ten thousand. Throws a RangeError that names the lines which are no host below a public suffix; nothing is taken then. */
export function know (names: string): void
/** Judges a host, a URL or a mail address as a reader would see it. */
export function check (target: string): Check
