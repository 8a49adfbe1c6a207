// A decision proof convinces without the lane, and no part of it can be changed or left out.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as breath } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashOf, sha256 } from '../../src/canonical.js'
import { decode } from '../../src/checkpoint/base64.js'
import { trustedCheckpoint } from '../../src/checkpoint/checkpoint.js'
import { checkEd25519 } from '../../src/checkpoint/key.js'
import { readVkey } from '../../src/checkpoint/note.js'
import { leafOfLine, parseEntry } from '../../src/ledger/entry.js'
import { isSameHash } from '../../src/ledger/tree/hash.js'
import { rootAbove } from '../../src/ledger/tree/inclusion.js'
import { type Proof, writeProof } from '../../src/proof/proof.js'
import { shownWords } from '../../src/proof/shown.js'
import { verifyProof } from '../../src/proof/verify.js'
import { provenWords } from '../../src/proof/words.js'
import { lane as runCli } from '../cli/command-line.js'
import { ALL } from '../faults/rig.js'
import {
  approval,
  approved,
  confirmed,
  delegated,
  escalated,
  parsed,
  polled,
  raiseScene,
  reminded,
  type Scene,
  shown,
  takenBack,
} from './scene.js'

let scene: Scene
let home: string
let given: Buffer

const verify = (bytes: Uint8Array, published?: string) =>
  verifyProof(bytes, {
    keys: [scene.key],
    check: checkEd25519,
    ...(published !== undefined && { published }),
  })
const codeOf = async (bytes: Uint8Array): Promise<string | null> => {
  const verdict = await verify(bytes)
  return verdict.ok ? null : verdict.code
}
const asOperator = () => ({ LANE_URL: scene.lane.url, LANE_API_KEY: scene.lane.operatorKey })
const altered = (proof: Proof, change: (proof: Proof) => unknown): Buffer => {
  const copy = structuredClone(proof)
  return Buffer.from(writeProof((change(copy) as Proof | undefined) ?? copy))
}
const without = (type: string, bytes = given): Buffer =>
  altered(parsed(bytes), proof => ({
    ...proof,
    entries: proof.entries.filter(({ entry }) => entry.type !== type),
  }))

beforeAll(async () => {
  scene = await raiseScene()
  home = mkdtempSync(join(tmpdir(), 'proofs-'))
  await approved(scene.lane, 'given')
  given = await scene.proof('given')
})
afterAll(async () => {
  await scene.lane.close()
  rmSync(home, { recursive: true, force: true })
})

describe('a proof', () => {
  test('of an approval is verified, with the person, the proof of identity and what became of the right', async () => {
    const verdict = await verify(given)
    expect(verdict).toMatchObject({ ok: true, told: { resolved: { body: { outcome: 'answered' } } } })
    expect(parsed(given).entries.map(({ entry }) => entry.type)).toEqual([
      'REQUEST_OPENED',
      'DELIVERY_STARTED',
      'INBOUND_REPLY_RECEIVED',
      'HUMAN_REPLY_EVENT',
      'REQUEST_RESOLVED',
      'DIRECTOR_DECIDED',
      'POLICY_TOKEN_ISSUED',
    ])
    expect(parsed(given).displays).toHaveLength(1)
    expect(given.length).toBeLessThanOrEqual(20_000)
  })

  test('of a withdrawn and of a defaulted request is verified too', async () => {
    await scene.lane.submit(approval('withdrawn'))
    await scene.lane.call('POST', '/v1/requests/withdrawn/withdraw', { body: { reason: 'enough' } })
    await scene.lane.submit(approval('late', { deadline_seconds: 1 }))
    await scene.lane.outcome('late')
    for (const id of ['withdrawn', 'late']) expect(await codeOf(await scene.proof(id))).toBeNull()
  })

  test('of an answer by the link of a reminder holds the copy it reminded of, and what that showed', async () => {
    await reminded(scene.lane, 'reminded')
    const whole = await scene.proof('reminded')
    expect(await verify(whole)).toMatchObject({ ok: true })
    expect(parsed(whole).entries.map(({ entry }) => entry.type)).toEqual([
      'REQUEST_OPENED',
      'DELIVERY_STARTED',
      'REQUEST_REMINDED',
      'INBOUND_REPLY_RECEIVED',
      'HUMAN_REPLY_EVENT',
      'REQUEST_RESOLVED',
      'DIRECTOR_DECIDED',
      'POLICY_TOKEN_ISSUED',
    ])
    expect(parsed(whole).displays).toHaveLength(1)
    for (const type of ['DELIVERY_STARTED', 'REQUEST_REMINDED'])
      expect(await codeOf(without(type, whole))).toBe('part_missing')
  })

  test('of an approval by a passkey holds its evidence and the entry that says whose it is, also once the words are erased', async () => {
    await confirmed(scene, 'confirmed')
    const whole = await scene.proof('confirmed')
    expect(await verify(whole)).toMatchObject({
      ok: true,
      confirmations: [{ credential_hash: scene.passkeys.operator?.credential_hash, by: 'person' }],
    })
    expect(parsed(whole).entries.map(({ entry }) => entry.type)).toContain('REPLY_EVIDENCE')
    expect(parsed(whole).evidence?.map(({ registered }) => registered.entry.type)).toEqual([
      'PASSKEY_REGISTERED',
    ])
    expect(whole.length).toBeLessThanOrEqual(20_000)
    const erased = await scene.lane.call('POST', '/v1/requests/confirmed/erase', {
      key: scene.lane.operatorKey,
    })
    expect(erased.status).toBe(200)
    expect(await codeOf(await scene.proof('confirmed'))).toBeNull()
    const shown = await runCli(['show', 'confirmed'], { env: asOperator() })
    expect(shown.stdout).toContain(String(scene.passkeys.operator?.credential_hash))
    const own = await scene.lane.call('GET', '/v1/requests/confirmed')
    expect(own.json.answer).not.toHaveProperty('credential_hash')
    const file = join(home, 'confirmed.proof')
    writeFileSync(file, whole)
    const { code, stdout } = await runCli(['verify', file, '--key', scene.vkey])
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        `The passkey ${scene.passkeys.operator?.credential_hash}, registered for them on their own word`,
      ),
    ])
  })

  test('of an answer by a passkey that was taken back since still verifies, and says nothing false of it', async () => {
    const { lane, passkeys, vkey } = scene
    await confirmed(scene, 'kept')
    const { credential_hash = '' } = passkeys.operator ?? {}
    const path = `/v1/recipients/operator/passkeys/${credential_hash}`
    expect((await lane.call('DELETE', path, { key: lane.operatorKey })).status).toBe(200)
    const whole = await scene.proof('kept')
    expect(await verify(whole)).toMatchObject({
      ok: true,
      confirmations: [{ credential_hash, by: 'person' }],
    })
    const file = join(home, 'kept.proof')
    writeFileSync(file, whole)
    const { code, stdout } = await runCli(['verify', file, '--key', vkey])
    expect([code, stdout]).toEqual([0, expect.stringContaining('that it had not been taken back before')])
  })

  test('is given once the request is resolved, and not before', async () => {
    await scene.lane.submit(approval('open'))
    const { status, json } = await scene.lane.call('GET', '/v1/requests/open/proof')
    expect([status, json.code]).toEqual([409, 'not_resolved'])
  })

  test('is the caller’s own; another key has none', async () => {
    const stranger = await scene.lane.key('request')
    expect((await scene.lane.call('GET', '/v1/requests/given/proof')).status).toBe(200)
    expect((await scene.lane.call('GET', '/v1/requests/given/proof', { key: stranger })).status).toBe(404)
  })

  test('holds the words only for an auditor who asks for them, and they are checked', async () => {
    const own = await scene.lane.call('GET', '/v1/requests/given/proof?contents=true')
    expect((own.json as unknown as Proof).contents?.words).toEqual([])
    const whole = await scene.proof('given', '?contents=true')
    expect(parsed(whole).contents?.words).toMatchObject([{ text: 'YES' }])
    expect(await codeOf(whole)).toBeNull()
    const other = altered(parsed(whole), proof => {
      ;(proof.contents?.words[0] as { text: string }).text = 'NO'
    })
    expect(await codeOf(other)).toBe('words_altered')
  })
})

describe('a proof with contents', () => {
  const settled = async (id: string, request: Record<string, unknown>): Promise<Buffer> => {
    expect((await scene.lane.submit({ ...request })).status).toBe(201)
    expect((await scene.lane.answer(await scene.lane.link(id), 'YES')).status).toBe(200)
    return scene.proof(id, '?contents=true')
  }
  const keep = (raw: string | Uint8Array, key = scene.lane.agentKey) =>
    scene.lane.call('PUT', '/v1/blobs', { raw, key, headers: { 'content-type': 'text/plain' } })

  test.each([
    ['a NUL', Uint8Array.of(0x61, 0, 0x62)],
    ['bytes that are not UTF-8', Uint8Array.of(0xff, 0x61)],
  ])('carries no text for %s, which was shown by its size alone, and is verified', async (what, bytes) => {
    await keep(bytes)
    const id = `bytes-${what.length}`
    const proof = await settled(id, approval(id, { parameters: { artifact: sha256(bytes) } }))
    expect(parsed(proof).contents?.handles).toEqual({})
    expect(await codeOf(proof)).toBeNull()
  })

  test('carries a text that begins with a byte order mark as it is', async () => {
    const text = '\ufeffpay 50 EUR'
    await keep(text)
    const proof = await settled('marked', approval('marked', { parameters: { order: sha256(text) } }))
    expect(parsed(proof).contents?.handles).toEqual({ [sha256(text)]: text })
    expect(await codeOf(proof)).toBeNull()
  })

  test('carries no content that another key has sent, which nobody was shown', async () => {
    const text = 'sent by another key'
    await keep(text, await scene.lane.key('request'))
    const proof = await settled('strange', approval('strange', { parameters: { order: sha256(text) } }))
    expect(proof.toString()).not.toContain(text)
    expect(await codeOf(proof)).toBeNull()
  })

  test('carries no content that the request only speaks of', async () => {
    const text = 'spoken of, and not named'
    await keep(text)
    const why = `It takes the place of ${sha256(text)}`
    const proof = await settled('spoken', approval('spoken', { why }))
    expect(parsed(proof).contents?.handles).toEqual({})
    expect(await codeOf(proof)).toBeNull()
  })
})

describe('an altered proof', () => {
  test(`with one bit flipped is refused, ${ALL ? 'every bit' : 'a sample of bits'}`, async () => {
    const step = ALL ? 1 : 97
    for (let bit = 0; bit < given.length * 8; bit += step) {
      // The lane lives in this process: its connections and clocks are not starved for a minute.
      if (bit % 64 === 0) await breath()
      const other = Buffer.from(given)
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7))
      if ((await codeOf(other)) === null)
        expect.fail(
          `bit ${bit} of ${JSON.stringify(other.subarray((bit >> 3) - 20, (bit >> 3) + 20).toString())}`,
        )
    }
  }, 600_000)

  test.each([
    'REQUEST_OPENED',
    'DELIVERY_STARTED',
    'INBOUND_REPLY_RECEIVED',
    'HUMAN_REPLY_EVENT',
    'REQUEST_RESOLVED',
    'DIRECTOR_DECIDED',
    'POLICY_TOKEN_ISSUED',
  ])('without its %s is refused', async type => {
    expect(await codeOf(without(type))).toBe('part_missing')
  })

  test('without its terms is refused', async () => {
    const bare = altered(parsed(given), proof => {
      const { terms: _, ...body } = proof.entries[0]?.entry.body ?? {}
      ;(proof.entries[0] as { entry: object }).entry = { ...proof.entries[0]?.entry, body }
    })
    expect(await codeOf(bare)).toBe('not_included')
  })

  test('without a revocation is refused, though nothing else in the ledger names it', async () => {
    await approved(scene.lane, 'revoked')
    const before = await scene.proof('revoked')
    await takenBack(scene.lane, 'revoked')
    const after = await scene.proof('revoked')
    expect(parsed(after).entries.at(-1)?.entry.type).toBe('POLICY_TOKEN_REVOKED')
    expect([await codeOf(before), await codeOf(after)]).toEqual([null, null])
    expect(await codeOf(without('POLICY_TOKEN_REVOKED', after))).toBe('part_missing')
    const mixed = altered(parsed(after), proof => ({
      ...proof,
      story: parsed(before).story,
      entries: proof.entries.slice(0, -1),
    }))
    expect(await codeOf(mixed)).toBe('story_unsigned')
  })

  test('without a vote is refused', async () => {
    await polled(scene.lane, 'polled')
    const given = await scene.proof('polled')
    expect(await codeOf(given)).toBeNull()
    const first =
      parsed(given).entries.find(({ entry }) => entry.type === 'HUMAN_REPLY_EVENT')?.entry.seq ?? 0
    const bare = altered(parsed(given), proof => ({
      ...proof,
      entries: proof.entries.filter(({ entry }) => entry.seq !== first && entry.seq !== first - 1),
    }))
    expect(await codeOf(bare)).toBe('part_missing')
  })

  test('without a delegation is refused: whoever answered was not asked', async () => {
    await delegated(scene.lane, 'delegated')
    const whole = await scene.proof('delegated')
    const types = parsed(whole).entries.map(({ entry }) => entry.type)
    expect(types.slice(0, 4)).toEqual([
      'REQUEST_OPENED',
      'DELIVERY_STARTED',
      'INBOUND_REPLY_RECEIVED',
      'REQUEST_DELEGATED',
    ])
    expect(await verify(whole)).toMatchObject({ ok: true })
    expect(await codeOf(without('REQUEST_DELEGATED', whole))).toBe('part_missing')
  })

  test('without the step that added somebody is refused', async () => {
    await escalated(scene.lane, 'escalated')
    const whole = await scene.proof('escalated')
    expect(await codeOf(whole)).toBeNull()
    expect(await codeOf(without('REQUEST_ESCALATED', whole))).toBe('part_missing')
  })

  test('with another document than was shown is refused', async () => {
    const other = altered(parsed(given), proof => ({
      ...proof,
      displays: [{ ...(proof.displays[0] as object), headline: 'Approve something small' }],
    }))
    expect(await codeOf(other)).toBe('display_altered')
  })

  test.each([
    [
      'another order of members',
      (text: string) =>
        text.replace(/^\{"checkpoint":("(?:[^"\\]|\\.)*"),/, '{').replace(/\}\n$/, ',"checkpoint":""}\n'),
    ],
    ['a blank', (text: string) => text.replace('{', '{ ')],
    ['no line’s end', (text: string) => text.slice(0, -1)],
    ['an unknown member', (text: string) => text.replace('"request_id"', '"more":1,"request_id"')],
  ])('with %s is malformed', async (_, change) => {
    expect(await codeOf(Buffer.from(change(given.toString('utf8'))))).toBe('malformed')
  })

  test('of one request is none of another', async () => {
    await approved(scene.lane, 'another')
    const another = parsed(await scene.proof('another'))
    expect(await codeOf(altered(another, proof => ({ ...proof, story: parsed(given).story })))).toBe(
      'story_unsigned',
    )
  })
})

describe('lane verify', () => {
  const file = (): string => {
    const name = join(home, 'given.proof')
    writeFileSync(name, given)
    return name
  }

  test('says in plain words what is proven and what is not, without a lane', async () => {
    const { code, stdout } = await runCli(['verify', file(), '--key', scene.vkey])
    expect(code).toBe(0)
    expect(stdout).toContain('operator answered YES on web, vouched for by console')
    expect(stdout).toContain('That the operator, who holds the key, did not make it all up')
    expect(stdout).toContain('That nothing happened after this checkpoint')
  })

  test('names what of the contents was shown to whoever answered', async () => {
    await shown(scene.lane, 'shown')
    const told = await verify(await scene.proof('shown'))
    expect(told.ok && provenWords(told).join('\n')).toContain(
      'operator answered YES on web, vouched for by console, having been shown the document that this file holds: order whole.',
    )
    const display = {
      v: 2,
      contents: [
        {
          name: 'sql',
          chars: 100,
          shown: [
            [0, 20],
            [90, 100],
          ],
          whole: false,
        },
        { name: 'scan', chars: null, shown: [], whole: false },
      ],
    }
    const said = { delivery_id: 'd-1', token_hash: 'sha256:0', receipts: { token_hash: 'sha256:0' } }
    const entry = (seq: number, type: string, body: object) =>
      ({ v: 1, seq, at: '', type, prev: '', hash: '', body }) as never
    const copy = entry(1, 'DELIVERY_STARTED', { ...said, display_hash: hashOf('lane/display/v2', display) })
    expect(shownWords(entry(3, 'HUMAN_REPLY_EVENT', said), [copy], [display])).toBe(
      ': sql with 30 of its 100 characters, scan by its size alone',
    )
  })

  test('without a key proves nothing', async () => {
    const { code, stderr } = await runCli(['verify', file()])
    expect(code).toBe(1)
    expect(stderr).toContain('untrusted')
  })

  test('compares with a checkpoint that was published elsewhere', async () => {
    const { note } = { note: parsed(given).checkpoint }
    writeFileSync(join(home, 'published'), note)
    const args = ['verify', file(), '--key', scene.vkey, '--checkpoint', join(home, 'published'), '--json']
    const { code, stdout } = await runCli(args)
    expect(code).toBe(0)
    expect(JSON.parse(stdout).proven[0]).toContain('a checkpoint published elsewhere agrees')
    expect(JSON.parse(stdout).not_proven.join()).not.toContain('make it all up')
  })

  test('takes a later checkpoint with the proof that the earlier one is in it', async () => {
    await scene.lane.key('request')
    const { text: note } = await scene.lane.call('POST', '/v1/ledger/checkpoint', {
      key: scene.lane.operatorKey,
    })
    const sizeIn = (words: string): string => words.split('\n')[1] ?? ''
    const path = `/v1/ledger/consistency?from=${sizeIn(parsed(given).checkpoint)}&to=${sizeIn(note)}`
    const { json } = await scene.lane.call('GET', path, { key: scene.lane.operatorKey })
    const published = `${note}${(json.hashes as string[]).join('\n')}\n`
    expect((await verify(given, published)).ok).toBe(true)
    expect(await verify(given, note)).toMatchObject({ ok: false, code: 'not_consistent' })
  })

  test('does not trust a key of somebody else’s', async () => {
    const other = readVkey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
    const verdict = await verifyProof(given, { keys: other === null ? [] : [other], check: checkEd25519 })
    expect(verdict).toMatchObject({ ok: false, code: 'checkpoint_unsigned' })
  })
})

test('lane proof prints the file that lane verify takes, with the key in a file of its own', async () => {
  const { code, stdout } = await runCli(['proof', 'given', '--with-contents'], { env: asOperator() })
  expect([code, stdout]).toEqual([0, (await scene.proof('given', '?contents=true')).toString('utf8')])
  const [file, key] = [join(home, 'printed.proof'), join(home, 'log.key')]
  writeFileSync(file, stdout)
  writeFileSync(key, `${scene.vkey}\n`)
  expect((await runCli(['verify', file, '--key', key])).code).toBe(0)
  writeFileSync(file, stdout.replace('"YES"', '"NO"'))
  const refused = await runCli(['verify', file, '--key', key, '--json'])
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([1, { ok: false, code: 'words_altered' }])
})

describe('one entry as a plain tlog-proof', () => {
  const leaf = (seq: number) =>
    scene.lane.call('GET', `/v1/ledger/${seq}/proof`, { key: scene.lane.operatorKey })
  /** Whether a tlog-proof shows that this line is the entry it speaks of, by a key of the lane's. */
  const isProven = async (text: string, line: string): Promise<boolean> => {
    const [head = '', ...rest] = text.split('\n\n')
    const [format, index = '', ...hashes] = head.split('\n')
    const said = await trustedCheckpoint(rest.join('\n\n'), [scene.key], checkEd25519)
    const path = hashes.map(hash => decode(hash) ?? new Uint8Array())
    const seq = Number(index.slice('index '.length))
    const root = said && rootAbove(leafOfLine(line), seq, said.size, path)
    return format === 'c2sp.org/tlog-proof@v1' && root !== null && isSameHash(root, said?.root ?? root)
  }

  test('is given for each, also for the one that says that a checkpoint was signed', async () => {
    const key = scene.lane.operatorKey
    await scene.lane.call('POST', '/v1/ledger/checkpoint', { key })
    const lines = (await scene.lane.call('GET', '/v1/ledger', { key })).text.trimEnd().split('\n')
    expect(parseEntry(lines.at(-1) ?? '').type).toBe('CHECKPOINT_SIGNED')
    for (const seq of [0, 3, lines.length - 1]) {
      const { status, text } = await leaf(seq)
      expect([status, await isProven(text, lines[seq] ?? '')]).toEqual([200, true])
      expect(await isProven(text, lines[seq === 0 ? 1 : 0] ?? '')).toBe(false)
    }
  })

  test('is printed by lane proof --tlog, byte for byte', async () => {
    const { code, stdout } = await runCli(['proof', '--tlog', '3'], { env: asOperator() })
    expect([code, stdout]).toEqual([0, (await leaf(3)).text])
  })

  test('is not given for an entry that is not there', async () => {
    expect((await leaf(99_999)).status).toBe(404)
  })
})
