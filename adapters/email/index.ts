// The email channel: requests go out by SMTP, answers come back as replies, fetched from a mailbox or posted by a
// provider. Replying "YES" from any mail program works, and nothing else answers.
import { Resolver as NameServers } from 'node:dns/promises'
import { type Adapter, type AdapterParts, Seen } from '../../src/adapter/index.js'
import { check } from './check.js'
import type { Intake } from './intake.js'
import { listen } from './listen.js'
import { readBanners } from './reading/literals.js'
import type { Resolver } from './reading/read.js'
import { receive } from './receive.js'
import { shows } from './render.js'
import { send } from './send.js'
import { openTransport } from './sending/transport.js'
import { readVariables } from './variables.js'

/** A name server that has not answered by then is asked once more. */
const NAME_MS = 2_000
const NAME_TRIES = 2

/** The parts of the world that a test replaces. */
export type World = {
  readonly resolver?: Resolver
  /** Certificates that are trusted beside the system's. */
  readonly ca?: string
}

export function emailAdapter(parts: AdapterParts, { resolver, ca }: World = {}): Adapter {
  const { variables: given, banners = [], say, stamp = unstamped } = parts
  const variables = readVariables(given)
  const { smtp, imap, from, replies, authservId, webhookSecret } = variables
  const transport = openTransport(smtp, ca)
  const intake: Intake = {
    facts: {
      resolver: resolver ?? nameServers(),
      authservId,
      replyTo: replies,
      from: from.address,
      banners: readBanners(banners),
    },
    namer: { stamp, domain: replies.domain },
    notices: { from, replies, transport },
    say,
  }
  const seen = new Seen()
  const trusted = ca === undefined ? {} : { ca }
  return {
    channel: 'email',
    atOnce: transport.atOnce,
    shows,
    send: (display, outbound) => send({ from, replies, transport, stamp }, display, outbound),
    ...(webhookSecret !== null && {
      receive: (hook, desk) => receive({ secret: webhookSecret, seen, intake }, hook, desk),
    }),
    ...(imap !== null && {
      listen: (cursor, desk) => listen({ incoming: imap, intake, say, ...trusted }, cursor, desk),
    }),
    check: () => check(variables, transport, ca),
  }
}

/** Without a lane around it the adapter only looks at its servers. */
function unstamped(): never {
  throw new Error('a mail can be sent and taken by a lane only')
}

function nameServers(): Resolver {
  const servers = new NameServers({ timeout: NAME_MS, tries: NAME_TRIES })
  return async (name, type) => (await servers.resolve(name, type)) as string[] | string[][]
}
