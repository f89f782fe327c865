/** A link of a text. Offsets are in UTF-16 code units, as those of `String.prototype.slice`. */
export interface Link {
  /** Where it begins. */
  start: number
  /** Where it ends. */
  end: number
  /** As it stands in the text. */
  text: string
  /** How it announces itself: a scheme spelled out, `www.`, a bare host, a mail address. */
  kind: 'scheme' | 'www' | 'bare' | 'email'
  /** The scheme as spelled, with its colon; `mailto:` of an address; empty otherwise. */
  schema: string
  /** The host as spelled. */
  host: string
  /** The host in A-label form (Punycode); `null` if it has none. */
  ascii: string | null
  /** The host in U-label form; `null` if it has none. */
  unicode: string | null
  /** The URL, ASCII only, also where no anchor is made; `null` if the host has no ASCII form. */
  href: string | null
  /** Whether `linkify` makes an anchor of it: its top-level domain exists, and it is meant as a link. */
  linked: boolean
}

/** A link in the shape of linkify-it. */
export interface Match {
  /** The scheme in lower case, with its colon; empty where none is spelled. */
  schema: string
  /** Where it begins, in UTF-16 code units. */
  index: number
  /** Where it ends. */
  lastIndex: number
  /** As it stands in the text. */
  raw: string
  /** As it stands in the text. */
  text: string
  /** As it stands in the text, behind `http://` or `mailto:` where no scheme is spelled: for programs that escape URLs themselves, as markdown-it does. */
  url: string
  /** The URL, ASCII only: what goes into an `href`. */
  href: string
}

/** Every link and mail address of a text, in order. Throws a TypeError for what is no string, as all of these do. */
export function links (text: string): Link[]
/** The text as HTML: markup characters escaped, links in anchors. */
export function linkify (text: string): string
/** The links that `linkify` makes anchors of, or `null` if there are none. */
export function match (text: string): Match[] | null
/** The link with a scheme that the text begins with, or `null`. */
export function matchAtStart (text: string): Match | null
/** Whether the text may hold a link: quick, and wrong at times on the side of yes. */
export function pretest (text: string): boolean
/** Whether `match` finds any. */
export function test (text: string): boolean
