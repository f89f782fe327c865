// Where a browser or a mail program that follows a link gets to: the host in ASCII, or null.
export function hostOf (link) {
  const url = /^[/\\]{2}/.test(link) ? `http:${link}` : link
  const [, scheme, rest] = /^([a-z]+):(.*)$/is.exec(url) ?? []
  if (scheme === undefined) return null
  if (scheme.toLowerCase() === 'mailto') {
    const address = rest.split('?')[0]
    return address.includes('@') ? inAscii(address.split('@').pop()) : null
  }
  if (!['http', 'https', 'ftp'].includes(scheme.toLowerCase())) return null
  try {
    return new URL(url).hostname.replace(/\.$/, '')
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
