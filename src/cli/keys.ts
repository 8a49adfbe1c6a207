// `lane keys`: the keys that may call the lane, and the key it signs with.

import { type Call, call } from '../client/call.js'
import { isFields } from '../client/case.js'
import { SCOPES } from '../ledger/shelf.js'
import { readArguments } from './arguments.js'
import { type Command, type Misuse, misuse, type Shell } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { nearest } from './nearest.js'
import { table, visible } from './print.js'
import { rewrap } from './rewrap.js'
import { enter, tell } from './tell.js'

const JSON_OPTION = { json: { type: 'boolean' } } as const
type Lines = (body: unknown) => string[] | null

async function ask(shell: Shell, what: Call, json: boolean | undefined, lines: Lines): Promise<ExitCode> {
  const endpoint = enter(shell)
  return endpoint === null ? EXIT.error : tell(shell, await call(endpoint, what), endpoint, json, lines)
}

async function add(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const options = {
    ...JSON_OPTION,
    name: { type: 'string' },
    scopes: { type: 'string' },
    owner: { type: 'string' },
    urgent: { type: 'boolean' },
  } as const
  const read = readArguments(args, options)
  if (!read.ok) return misuse(...read.flaws)
  const { name, scopes, owner, urgent, json } = read.values
  if (name === undefined || scopes === undefined)
    return misuse(`--name N and --scopes S[,S] are needed; scopes are ${SCOPES.join(', ')}`)
  const body = {
    name,
    scopes: scopes.split(',').map(scope => scope.trim()),
    ...(owner !== undefined && { owner }),
    ...(urgent !== undefined && { urgent }),
  }
  return await ask(shell, { method: 'POST', path: '/v1/keys', body }, json, addedLines)
}

const addedLines: Lines = body => {
  if (!isFields(body) || typeof body.key !== 'string') return null
  return [visible(body.key), `${body.key_id}, shown this once: the lane keeps only its hash`]
}

async function list(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const read = readArguments(args, JSON_OPTION)
  if (!read.ok) return misuse(...read.flaws)
  return await ask(shell, { path: '/v1/keys' }, read.values.json, listLines)
}

const listLines: Lines = body => {
  if (!isFields(body) || !Array.isArray(body.items)) return null
  const rows = body.items
    .filter(isFields)
    .map(({ key_id, name, scopes, created_at, revoked_at }) => [
      String(key_id),
      visible(String(name)),
      Array.isArray(scopes) ? scopes.join(',') : '',
      String(created_at),
      revoked_at === null ? 'valid' : `revoked ${revoked_at}`,
    ])
  return table([['KEY', 'NAME', 'SCOPES', 'CREATED', 'STATE'], ...rows])
}

async function revoke(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const read = readArguments(args, { ...JSON_OPTION, signing: { type: 'string' } }, ['ID?'])
  if (!read.ok) return misuse(...read.flaws)
  const { signing, json } = read.values
  const [id] = read.words
  if ((id === undefined) === (signing === undefined))
    return misuse('ID of an API key, or --signing KID: one of the two is revoked')
  const path =
    signing === undefined
      ? `/v1/keys/${encodeURIComponent(id ?? '')}`
      : `/v1/signing-keys/${encodeURIComponent(signing)}`
  return await ask(shell, { method: 'DELETE', path }, json, body =>
    isFields(body) ? [`${body.key_id ?? body.kid} is revoked since ${body.revoked_at}`] : null,
  )
}

async function rotate(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const read = readArguments(args, {
    ...JSON_OPTION,
    checkpoint: { type: 'boolean' },
    artifact: { type: 'boolean' },
  })
  if (!read.ok) return misuse(...read.flaws)
  const { checkpoint = false, artifact = false, json } = read.values
  if (checkpoint && artifact) return misuse('--checkpoint or --artifact: one key is rotated at a time')
  const purpose = checkpoint ? '?purpose=checkpoint' : artifact ? '?purpose=artifact' : ''
  const path = `/v1/signing-keys/rotate${purpose}`
  return await ask(shell, { method: 'POST', path }, json, body =>
    isFields(body)
      ? [
          checkpoint
            ? `checkpoints are signed with ${body.kid} since ${body.not_before}; the next is signed with the former key too`
            : artifact
              ? `responses to artifacts are signed with ${body.kid} since ${body.not_before}; older ones keep their signature`
              : `reply tokens are signed with ${body.kid} since ${body.not_before}; older ones stay valid until they expire`,
        ]
      : null,
  )
}

const DEEDS = { add, list, revoke, rotate, rewrap } as const
const NAMES = Object.keys(DEEDS)
const isDeed = (name: string | undefined): name is keyof typeof DEEDS => NAMES.includes(name ?? '')

export const keys: Command = {
  usage: `lane keys add --name N --scopes S[,S] [--owner USER] [--urgent] [--json]
lane keys list [--json]
lane keys revoke (ID | --signing KID) [--json]
lane keys rotate [--checkpoint | --artifact] [--json]
lane keys rewrap

API keys: scopes are request (ask, and see what it asked itself), operate, audit, direct. An agent's key has
request alone. A key made with --owner belongs to that person, who then cannot be the other pair of eyes where an
action needs four; one made with --urgent may say that a request is urgent. \`rotate\` changes the key reply tokens are signed with; what is already sent stays answerable; with --checkpoint
the key of checkpoints, with --artifact that of responses to artifacts (docs/aah.md). \`revoke
--signing\` is for a signing key that others may have: what it signed is worth nothing from then on, people are sent
fresh copies of what is open, and policy tokens that are not spent are minted anew.
\`rewrap\`, with every lane stopped, puts the keyring under another secret: LANE_NEW_SECRET, which is LANE_SECRET from then
on; where the secret is the file in the data directory and none is given, it makes a new file.`,

  async run([name, ...rest], shell) {
    if (isDeed(name)) return await DEEDS[name](rest, shell)
    const meant = nearest(name ?? '', NAMES)
    const read =
      name === undefined ? 'nothing' : `"${name}"${meant === null ? '' : `, did you mean ${meant}?`}`
    return misuse(`lane keys takes ${NAMES.join(', ')}; read ${read}`)
  },
}
