// Schemes whose program goes to the host behind the slashes, or to that of an address.
const HOSTS = new Set(['http', 'https', 'ftp', 'ftps', 'ws', 'wss', 'ldap', 'ldaps', 'file', 'smb', 'afp', 'nfs', 'zoommtg'])
const ADDRESSES = new Set(['mailto', 'sip', 'sips', 'xmpp', 'im', 'pres', 'facetime', 'facetime-audio'])
// Those that hand on the URL inside.
const OUTER = /^(?:view-source|jar|feed|microsoft-edge|ms-[a-z]+:[a-z]+\|u\||url):(?=\w+:)/i

// Where a browser or a mail program that follows a link gets to: the host in ASCII, or null.
export function hostOf (link) {
  const inner = link.replace(OUTER, '')
  const url = /^[/\\]{2}/.test(inner) ? `http:${inner}` : inner
  const [, scheme, rest] = /^([a-z]+):(.*)$/is.exec(url) ?? []
  if (scheme === undefined) return null
  if (ADDRESSES.has(scheme.toLowerCase())) {
    const address = rest.split('?')[0]
    return address.includes('@') ? inAscii(address.split('@').pop()) : null
  }
  if (!HOSTS.has(scheme.toLowerCase())) return null
  try {
    // Of a scheme that is none of its own a browser leaves the host as it is written.
    return new URL(/^(?:https?|ftp|wss?|file):/i.test(url) ? url : url.replace(/^[^:]+/, 'http')).hostname.replace(/\.$/, '')
  } catch {
    // A port out of range, an escape that no host holds: programs less strict than a browser take the
    // host in front of it.
    const authority = rest.replace(/^[/\\]*/, '').split(/[/\\?#]/)[0].split('@').pop()
    return inAscii(authority.split(/[^\p{L}\p{N}\p{M}\p{S}\p{Cf}.。．｡․_-]/u)[0])
  }
}

function inAscii (host) {
  try {
    return new URL(`http://${host}/`).hostname.replace(/\.$/, '')
  } catch {
    return null
  }
}
