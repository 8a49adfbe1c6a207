// Whether a webhook comes from the provider: HMAC-SHA1 over the address it was sent to and its parameters, sorted.
// The address is the configured one: a request's own host is only its sender's claim. The signature holds no time, so
// a repeated webhook is recognised by the message it names.
import { createHmac, timingSafeEqual } from 'node:crypto'

type Posted = { readonly url: string; readonly parameters: URLSearchParams }

export function sign(token: string, { url, parameters }: Posted): string {
  const names = [...new Set(parameters.keys())].sort()
  const pairs = names.flatMap(name => [...new Set(parameters.getAll(name))].sort().map(value => name + value))
  return createHmac('sha1', token)
    .update(url + pairs.join(''))
    .digest('base64')
}

export function isSigned(token: string, posted: Posted, signature: string | undefined): boolean {
  const given = Buffer.from(signature ?? '')
  return [posted.url, withPort(posted.url)].some(url => {
    const wanted = Buffer.from(sign(token, { ...posted, url }))
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  })
}

/** Providers differ on whether the usual port is part of the address. */
function withPort(url: string): string {
  const [, scheme = '', host = '', rest = ''] = /^(https?):\/\/([^/?]*)(.*)$/s.exec(url) ?? []
  const port = /:[0-9]+$/.test(host) ? '' : scheme === 'https' ? ':443' : ':80'
  return `${scheme}://${host}${port}${rest}`
}
