// What somebody who can write the database, and has not the lane's secret, can give or take: nothing that gives a right. Each
// test is an attack, on both stores.
import { generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { canonical, type Hash, hashOf, sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import type { Body, Draft, Entry } from '../../src/event.js'
import { hashKey } from '../../src/keys/key-book.js'
import { NotUnlocked } from '../../src/keys/unlocking.js'
import { SealBroken } from '../../src/ledger/contract.js'
import { SealAudit } from '../../src/ledger/seal-audit.js'
import { verify } from '../../src/ledger/verify.js'
import { hashRequest, type Request } from '../../src/request/request.js'
import { begin, find } from '../../src/session/session.js'
import { openSealKey } from '../../src/token/keyring.js'
import { macUnder } from '../../src/token/mac.js'
import { mintPolicyToken } from '../../src/token/policy-token.js'
import { hashHandle } from '../../src/token/reply-handle.js'
import { stamper } from '../../src/token/stamp.js'
import { approval, configure, fromSlack, handleOf, question, SECRET } from '../lane/stage.js'
import { registered } from '../passkey/registered.js'
import { admittedTo, KEY_1 } from '../terms.js'
import { CONFIG, type Intrusion, intrudeEach, STORES } from './intruder.js'
import { checks } from './tale.js'

const RUN = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
const TO_OWNER = [{ user_id: 'owner', channels: ['slack'], route: 'first' }] as const
const ZERO: Hash = `sha256:${'0'.repeat(64)}`

describe.each(STORES)('whoever can write to %s', (_name, there, open) => {
  let scene: Intrusion
  intrudeEach(there, open, begun => {
    scene = begun
  })
  const attack = test.runIf(there)

  async function asked(request: Request): Promise<void> {
    const { lane } = scene.cast
    const opened = await lane.open(admittedTo(TO_OWNER, { request, run: RUN, recipients: null }), KEY_1)
    expect(opened.kind).toBe('opened')
    await lane.drain()
  }

  const answer = async (text: string) => {
    const received = await scene.cast.lane.answer(fromSlack(handleOf(scene.slack, 'owner'), text))
    await scene.cast.lane.drain()
    return received
  }

  /** The five entries of a YES and the right it gives, as the lane itself would write them. */
  async function yes(request: Request): Promise<Draft[]> {
    const entries = await scene.entries()
    const claim = entries.find(({ type }) => type === 'DELIVERY_STARTED')?.body as Body<'DELIVERY_STARTED'>
    const at = entries.at(-1)?.at ?? ''
    const seq = entries.length
    const id = 'approval_id' in request ? request.approval_id : ''
    const ids = { request_id: id, run_id: RUN.run_id }
    const { delivery_id, token_hash } = claim
    const reply: Body<'HUMAN_REPLY_EVENT'> = {
      ...{ reply_id: 'r-1', request_id: id, delivery_id, channel: 'slack' as const },
      sender_identity: { user_id: 'owner', proof: 'slack_signed' },
      ...{ raw_text_hash: ZERO, grammar: '1', parsed_choice: 'YES', parsed_payload: null },
      receipts: { token_hash, received_at: at },
    }
    const event_hash = sha256(canonical(reply))
    const answered = { answered_by: 'owner', channel: 'slack', proof: 'slack_signed', at } as const
    return [
      {
        ...{ type: 'INBOUND_REPLY_RECEIVED', ...ids },
        body: { reply_id: 'r-1', delivery_id, channel: 'slack', token_validation: checks(null), event_hash },
      },
      { type: 'HUMAN_REPLY_EVENT', ...ids, body: reply },
      {
        ...{ type: 'REQUEST_RESOLVED', ...ids },
        body: {
          ...{ outcome: 'answered', causes: [seq + 1] },
          answer: { parsed_choice: 'YES', parsed_payload: null, ...answered },
        },
      },
      {
        ...{ type: 'DIRECTOR_DECIDED', ...ids },
        body: { decision: 'CONTINUE', reason: 'the approval was given', because: seq + 2, by: 'lane' },
      },
      {
        ...{ type: 'POLICY_TOKEN_ISSUED', ...ids },
        body: {
          ...{ jti: 'AAECAwQFBgcICQoLDA0ODw', action: 'PUBLISH' },
          parameters_hash: hashOf('lane/parameters/v1', 'parameters' in request ? request.parameters : null),
          ...{ request_hash: hashRequest(request), reply_event_hash: event_hash },
          ...{ issued_at: at, valid_seconds: 900, expires_at: instant(Date.parse(at) + 900_000) },
        },
      },
    ] as Draft[]
  }

  const isBroken = async (id: string): Promise<void> => {
    await expect(scene.cast.lane.current(id)).rejects.toBeInstanceOf(SealBroken)
    expect(scene.broken).toContain(`request ${id}`)
  }

  /** What `lane ledger verify` says, with the secret and from the lines alone. */
  async function verified() {
    const rows = await scene.place.sql<{ line: string; seal: string | null }>(
      'SELECT line, seal FROM entries ORDER BY seq',
    )
    const key = openSealKey(await scene.cast.store.shelf.keyring(), SECRET)
    if (key === null) throw new Error('there is no key that seals')
    const audit = new SealAudit(key)
    async function* all() {
      yield* rows
    }
    const { problems } = await verify(audit.watch(all()))
    return { lines: problems, seals: audit.problems }
  }

  describe('forges no answer', () => {
    const request = approval('a-1')

    attack(
      'with five INSERTs of an approval: nothing is told of it, no policy token is minted or spent',
      async () => {
        await asked(request)
        await scene.write(...(await scene.forged('a-1', await yes(request), 'answered')))
        await isBroken('a-1')
        // The lines alone hold: without the seals nobody could tell.
        expect((await verified()).lines).toEqual([])
        expect((await verified()).seals).toMatchObject([
          { invariant: 'I30', message: 'its append has no seal' },
        ])
        await scene.stop()
        await scene.start()
        await isBroken('a-1')
        const token = mintedToken()
        await expect(scene.cast.lane.director.spend(token, spending(request))).rejects.toBeInstanceOf(
          SealBroken,
        )
      },
    )

    attack('nor with the seal of another append beside them', async () => {
      await asked(request)
      const [{ seal = '' } = {}] = await scene.place.sql<{ seal: string }>(
        'SELECT seal FROM entries WHERE seal IS NOT NULL ORDER BY seq DESC LIMIT 1',
      )
      const forged = await scene.forged('a-1', await yes(request), 'answered')
      const last = (await scene.entries()).length + 4
      await scene.restartAfter(...forged, `UPDATE entries SET seal = '${seal}' WHERE seq = ${last}`)
      await isBroken('a-1')
    })

    attack('nor with a sealed story of another request under its id', async () => {
      await asked(approval('b-1'))
      await answer('YES')
      await asked(request)
      const [other = 0] = await scene.seqsOf('b-1')
      const [own = 0] = await scene.seqsOf('a-1')
      await scene.restartAfter(
        `UPDATE requests SET request_id = 'gone' WHERE opened_seq = ${own}`,
        `UPDATE requests SET request_id = 'a-1' WHERE opened_seq = ${other}`,
      )
      await isBroken('a-1')
    })

    attack(
      'nor with the sealed answer to an earlier request of its id: the ledger rolled back, the id asked anew, the YES put back',
      async () => {
        // The entry that a start adds takes the place of this one, so that all seqs are the same again.
        await scene.restartAfter()
        await asked(request)
        await answer('YES')
        const seqs = await scene.seqsOf('a-1')
        const [opened = 0] = seqs
        const last = (await scene.entries()).at(-1) as Entry
        const yes = await scene.copied(seqs.slice(3))
        await scene.restartAfter(...(await scene.rolledBackTo(opened - 1)))
        await asked({ ...request, parameters: { artifact: `sha256:${'e'.repeat(64)}` } } as Request)
        expect(await scene.seqsOf('a-1')).toEqual(seqs.slice(0, 3))
        await scene.restartAfter(
          ...yes,
          `UPDATE requests SET version = ${seqs.length}, state = 'answered' WHERE request_id = 'a-1'`,
          scene.place.head(last),
        )
        await isBroken('a-1')
        expect((await verified()).seals).toMatchObject([
          { seq: seqs[3], message: 'the seal of its append is not that of this lane' },
        ])
      },
    )

    attack('nor by turning a reply to one request into a reply to another', async () => {
      await asked(question('harmless'))
      await asked(request)
      const [harmless, dangerous] = ['harmless', 'a-1'].map(id =>
        hashHandle(handleOf(scene.slack, 'owner', id)),
      )
      await scene.write(`UPDATE refs SET handle_hash = '${dangerous}', delivery_id = (SELECT delivery_id FROM grants
        WHERE handle_hash = '${dangerous}') WHERE handle_hash = '${harmless}'`)
      const verdict = await scene.cast.desk('slack').take({
        ...fromSlack('', 'YES'),
        binding: { kind: 'ref', ref: 'slack-1' },
      })
      expect(verdict).toEqual({ kind: 'unknown' })
      expect((await scene.cast.lane.current('a-1'))?.state).toBe('pending')
      expect(scene.broken).toEqual([expect.stringMatching(/^reference of delivery .* on slack$/)])
    })

    const spending = (wanted: Request) => ({
      ...{ action: 'PUBLISH', spend_id: 's-1', by: 'key-1' },
      parameters: 'parameters' in wanted ? wanted.parameters : {},
    })
    /** As if the lane had been brought to sign it: the right stands or falls with the story. */
    function mintedToken(): string {
      const iat = Math.floor(scene.cast.store.ledger.now() / 1000)
      return mintPolicyToken(scene.cast.signing.current(), {
        ...{ sub: 'key-1', jti: 'AAECAwQFBgcICQoLDA0ODw', iat, exp: iat + 900, run: 'run-1', req: 'a-1' },
        ...{ act: 'PUBLISH', prh: hashOf('lane/parameters/v1', spending(request).parameters) },
        ...{ rqh: hashRequest(request), rev: ZERO },
      })
    }
  })

  describe('alters no story', () => {
    attack('by a later expiry, all hashes made anew: found here and by verify', async () => {
      await asked(approval('a-1'))
      await answer('YES')
      const issued = (await scene.entries()).find(({ type }) => type === 'POLICY_TOKEN_ISSUED') as Entry
      const later = (entry: Entry): Entry =>
        ({
          ...entry,
          body: {
            ...entry.body,
            valid_seconds: 9_000,
            expires_at: instant(Date.parse(entry.at) + 9_000_000),
          },
        }) as Entry
      await scene.restartAfter(...(await scene.rewritten(issued.seq, later)))
      await isBroken('a-1')
      const { lines, seals } = await verified()
      expect(lines).toEqual([])
      expect(seals[0]).toMatchObject({
        invariant: 'I30',
        message: 'the seal of its append is not that of this lane',
      })
    })

    attack('by an added recipient, all hashes made anew: found here and by verify', async () => {
      await asked(approval('a-1'))
      const [seq = 0] = await scene.seqsOf('a-1')
      const added = (entry: Entry): Entry => {
        const { recipients } = entry.body as Body<'REQUEST_OPENED'>
        const mallory = { user_id: 'mallory', channels: ['slack'], route: 'first' }
        return { ...entry, body: { ...entry.body, recipients: [...recipients, mallory] } } as Entry
      }
      await scene.restartAfter(...(await scene.rewritten(seq, added)))
      await isBroken('a-1')
      const { lines, seals } = await verified()
      expect([lines, seals[0]?.seq]).toEqual([[], seq])
    })

    attack('by deleting an entry from within it', async () => {
      await asked(question('q-1'))
      await answer('maybe')
      await answer('yes')
      const seqs = await scene.seqsOf('q-1')
      const { type } = (await scene.entries())[seqs[3] ?? 0] as Entry
      expect(type).toBe('INBOUND_REPLY_REJECTED')
      await scene.restartAfter(
        scene.place.disarm,
        `DELETE FROM entries WHERE seq = ${seqs[3]}`,
        `UPDATE requests SET version = version - 1 WHERE request_id = 'q-1'`,
      )
      await isBroken('q-1')
    })

    attack(
      'by deleting the append at its end: that is an older copy of it, which verify finds by the gap',
      async () => {
        await asked(question('q-1'))
        await answer('yes')
        await asked(question('q-2'))
        const seqs = await scene.seqsOf('q-1')
        const sealed = await scene.place.sql<{ seq: number }>(
          `SELECT seq FROM entries WHERE seal IS NOT NULL AND seq < ${seqs.at(-1)} ORDER BY seq DESC LIMIT 1`,
        )
        const from = Number(sealed[0]?.seq) + 1
        const gone = seqs.filter(seq => seq >= from).length
        await scene.restartAfter(
          scene.place.disarm,
          `DELETE FROM entries WHERE seq BETWEEN ${from} AND ${seqs.at(-1)}`,
          `UPDATE requests SET version = version - ${gone} WHERE request_id = 'q-1'`,
        )
        expect((await verified()).lines[0]).toMatchObject({ invariant: 'I1', seq: from })
      },
    )

    attack('by what is projected from it: a request that was resolved is not open again', async () => {
      await asked(question('q-1'))
      await answer('no')
      await scene.restartAfter(
        `UPDATE requests SET state = 'pending', resolved_seq = NULL WHERE request_id = 'q-1'`,
      )
      expect(await answer('yes')).toMatchObject({ kind: 'rejected', reason: 'already_resolved' })
      expect((await scene.cast.lane.current('q-1'))?.answer).toMatchObject({ parsed_choice: 'NO' })
    })

    attack('nor is an open one resolved: it is answered as before', async () => {
      await asked(question('q-1'))
      await scene.restartAfter(
        `UPDATE requests SET state = 'answered', resolved_seq = 0 WHERE request_id = 'q-1'`,
      )
      expect((await scene.cast.lane.current('q-1'))?.state).toBe('pending')
      expect(await answer('yes')).toMatchObject({ kind: 'accepted' })
    })

    attack.each([-1, 1])(
      'nor by another version of it (%i): it is told as broken, and nobody waits for ever',
      async by => {
        await asked(question('q-1'))
        await scene.write(`UPDATE requests SET version = version + ${by} WHERE request_id = 'q-1'`)
        await isBroken('q-1')
      },
    )

    attack(
      'a story whose seal is broken holds up no other: the desk goes on, the stream leaves it out',
      async () => {
        await asked(question('q-1'))
        await asked(question('q-2'))
        await scene.restartAfter(`UPDATE requests SET version = version + 1 WHERE request_id = 'q-1'`)
        const [first, second] = ['q-1', 'q-2'].map(id => handleOf(scene.slack, 'owner', id))
        const { lane, desk, store } = scene.cast
        expect(await desk('slack').take(fromSlack(first ?? '', 'yes'))).toEqual({ kind: 'unknown' })
        expect(await desk('slack').take(fromSlack(second ?? '', 'yes'))).toMatchObject({ kind: 'recorded' })
        const told = new Set<string>()
        for await (const { request_id = '' } of store.ledger.entries(0)) told.add(request_id)
        expect([...told].sort()).toEqual(['', 'q-2'])
        await lane.drain()
      },
    )
  })

  describe('gives nobody a right', () => {
    attack('by an API key', async () => {
      const secret_hash = hashKey('lane_of_the_intruder')
      await scene.write(`INSERT INTO api_keys (key_id, name, scopes, secret_hash, created_at)
        VALUES ('key-x', 'mine', 'request,operate,audit,direct', '${secret_hash}', '2026-01-01T00:00:00.000Z')`)
      const { keys } = scene.cast
      await keys.reload()
      expect([keys.authenticate('lane_of_the_intruder'), keys.get('key-x')]).toEqual([null, null])
      expect(scene.broken).toEqual(['API key key-x'])
    })

    attack('by wider scopes of a key that is there', async () => {
      const { keys } = scene.cast
      const secret_hash = hashKey('lane_of_an_agent')
      const key = { key_id: 'key-1', name: 'agent', scopes: ['request'], secret_hash } as const
      const made = { created_at: '2026-01-01T00:00:00.000Z', revoked_at: null, owner: null, urgent: false }
      await keys.add({ ...key, ...made }, 'key-2')
      await keys.reload()
      expect(keys.authenticate('lane_of_an_agent')?.scopes).toEqual(['request'])
      await scene.write(`UPDATE api_keys SET scopes = 'request,audit'`)
      await keys.reload()
      expect(keys.authenticate('lane_of_an_agent')).toBeNull()
      expect(scene.broken).toEqual(['API key key-1'])
    })

    attack('by a linked account', async () => {
      await scene.restartAfter(
        `INSERT INTO links (user_id, channel, address) VALUES ('owner', 'telegram', ${scene.place.bytes('666')})`,
      )
      expect(await scene.cast.store.shelf.links()).toEqual([])
      expect(scene.broken).toEqual(['linked address of owner on telegram'])
    })

    attack('by an absence: nobody is asked in anybody’s place', async () => {
      const now = scene.cast.store.ledger.now()
      await scene.write(`INSERT INTO away (user_id, from_ms, until_ms, deputy)
        VALUES ('owner', 0, ${now + 1_000_000}, 'deputy')`)
      expect(await scene.cast.store.shelf.away(now)).toEqual([])
      expect(scene.broken).toEqual(['absence of owner'])
    })

    attack('by another owner of a key that is there, who could then approve what it asks', async () => {
      const { keys } = scene.cast
      const secret_hash = hashKey('lane_of_an_agent')
      const key = { key_id: 'key-1', name: 'agent', scopes: ['request'], secret_hash } as const
      const made = { created_at: '2026-01-01T00:00:00.000Z', revoked_at: null, owner: 'owner', urgent: false }
      await keys.add({ ...key, ...made }, 'key-2')
      await scene.write(`UPDATE api_keys SET owner = 'deputy'`)
      await keys.reload()
      expect(keys.authenticate('lane_of_an_agent')).toBeNull()
      expect(scene.broken).toEqual(['API key key-1'])
    })

    attack(
      'by the old row of a passkey that was taken back, nor by those of its sessions: their seals are sound, and the ledger says otherwise',
      async () => {
        const { store, keys } = scene.cast
        const { credential_hash, credential_id } = await registered(store, 'owner')
        await registered(store, 'owner')
        const who = { kind: 'person', user_id: 'owner', by: 'passkey', credential_hash } as const
        const { id } = await begin(store, who)
        const mine = `WHERE credential_hash = '${credential_hash}'`
        const old = [
          ...(await scene.copiedRows('passkeys', mine)),
          ...(await scene.copiedRows('sessions', mine)),
        ]
        const revokes = () =>
          scene.cast.store.ledger.append({
            guards: [{ kind: 'passkey', credential_hash }],
            decide: () => ({
              kind: 'append',
              events: [
                { type: 'PASSKEY_REVOKED', body: { user_id: 'owner', credential_hash, by: 'person' } },
              ],
              shelve: [{ put: 'passkey_end', credential_hash }],
            }),
          })
        expect([old.length, (await revokes()).kind]).toEqual([2, 'appended'])
        expect(await scene.copiedRows('sessions', mine)).toEqual([])
        await scene.write(...old)
        const { shelf } = scene.cast.store
        expect([
          await shelf.passkey(credential_hash),
          await shelf.passkeyById(credential_id),
          (await shelf.passkeysOf('owner')).length,
          (await shelf.passkeys()).length,
        ]).toEqual([null, null, 1, 1])
        const csrf = stamper(macUnder(new Uint8Array(32)))
        const config = { recipients: configure(CONFIG).recipients }
        expect(await find({ store, config, keys, csrf }, id)).toBeNull()
        expect((await revokes()).kind).toBe('guarded')
        await scene.restartAfter()
        expect(await scene.cast.store.shelf.passkey(credential_hash)).toBeNull()
        expect((await revokes()).kind).toBe('guarded')
        expect(await verified()).toEqual({ lines: [], seals: [] })
      },
    )

    attack('by an invitation', async () => {
      const code_hash = sha256('lane/invitation/v1\n', 'code-of-the-intruder')
      const expires = scene.cast.store.ledger.now() + 1_000_000
      await scene.write(`INSERT INTO invitations (code_hash, user_id, channel, expires_ms)
        VALUES ('${code_hash}', 'owner', 'telegram', ${expires})`)
      expect(await scene.cast.desk('telegram').link('code-of-the-intruder', 666)).toBeNull()
      expect(scene.broken).toEqual(['invitation of owner on telegram'])
    })

    attack('by a grant whose handle they chose', async () => {
      await asked(approval('a-1'))
      const handle = '0123456789abcdefghjkmnpqrs'
      await scene.write(`INSERT INTO grants (handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id)
        SELECT '${hashHandle(handle)}', use, code_hash, token, request_id, delivery_id, channel, user_id
        FROM grants WHERE use = 'reply'`)
      expect(await scene.cast.lane.answer(fromSlack(handle, 'YES'))).toEqual({ kind: 'unknown' })
      expect(scene.broken).toEqual([expect.stringMatching(/^grant of delivery /)])
    })

    attack('by a link that is turned into a way to reply', async () => {
      await asked(approval('a-1'))
      await scene.write(`UPDATE grants SET use = 'reply' WHERE use = 'page'`)
      const handle = scene.slack.copies.at(-1)?.outbound.page.link.split('/').at(-1) ?? ''
      expect(await scene.cast.lane.answer(fromSlack(handle, 'YES'))).toEqual({ kind: 'unknown' })
    })

    attack('by a reference: no message but its own is edited to how a request ended', async () => {
      await asked(question('q-1'))
      const [{ delivery_id = '' } = {}] = await scene.place.sql<{ delivery_id: string }>(
        'SELECT delivery_id FROM refs',
      )
      await scene.write(`INSERT INTO refs (channel, ref, delivery_id, handle_hash) SELECT 'slack',
        ${scene.place.bytes('of another request')}, delivery_id, handle_hash FROM refs`)
      expect(await scene.cast.store.shelf.refs(delivery_id)).toEqual(['slack-1'])
      expect(scene.broken).toEqual([`reference of delivery ${delivery_id} on slack`])
    })

    attack('by a callback', async () => {
      await asked(question('q-1'))
      await scene.write(
        `INSERT INTO callbacks (request_id, url) VALUES ('q-1', 'https://intruder.example.org/')`,
      )
      expect(await scene.cast.store.shelf.callback('q-1')).toBeNull()
      expect(scene.broken).toEqual(['callback of request q-1'])
    })

    attack('by a signing key of their own: a token it signed is of a key that nobody has', async () => {
      const pair = generateKeyPairSync('ed25519')
      const jwk = await exportJWK(pair.publicKey)
      const kid = await calculateJwkThumbprint(jwk)
      const text = JSON.stringify({ ...jwk, kid, alg: 'EdDSA', use: 'sig' })
      await scene.restartAfter(`INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until)
        VALUES ('${kid}', 'reply-token', '${text}', ${scene.place.bytes('x').replace(/^'x'$/, "x'00'")}, 0, 4102444800000)`)
      const ring = scene.cast.signing.current()
      expect(await ring.verifier(kid, scene.cast.store.ledger.now())).toBeNull()
      expect(ring.jwks(scene.cast.store.ledger.now()).keys.map(key => key.kid)).not.toContain(kid)
      expect(scene.broken).toEqual([`key ${kid} of purpose reply-token`])
    })
  })

  attack('keeps no lane from its own key by one that stands before it', async () => {
    await asked(question('q-1'))
    await scene.restartAfter(`INSERT INTO keys (kid, purpose, wrapped, not_before)
      VALUES ('00000000', 'seal', ${scene.place.bytes('x').replace(/^'x'$/, "x'00'")}, 0)`)
    expect((await scene.cast.lane.current('q-1'))?.state).toBe('pending')
    expect(scene.broken).toEqual(['key 00000000 of purpose seal'])
  })

  describe('passes no ledger off as one of before there were seals', () => {
    const keepers = `DELETE FROM keys WHERE purpose = 'seal'`
    const refused = async (...sql: readonly string[]): Promise<string> => {
      await scene.stop()
      await scene.write(scene.place.disarm, ...sql)
      const error = await scene.start().catch((thrown: Error) => thrown)
      expect(error).toBeInstanceOf(NotUnlocked)
      return (error as Error).message
    }

    attack('by taking the key away', async () => {
      expect(await refused(keepers)).toMatch(/^the ledger is sealed, and the keyring has not the key/)
    })

    attack('by taking LEDGER_SEALED away', async () => {
      expect(await refused(`DELETE FROM entries WHERE type = 'LEDGER_SEALED'`)).toMatch(/no LEDGER_SEALED/)
    })

    attack('by altering it', async () => {
      const line = `UPDATE entries SET line = replace(line, '"size":0', '"size":1') WHERE type = 'LEDGER_SEALED'`
      expect(await refused(line)).toMatch(/^the seal of LEDGER_SEALED is broken/)
    })

    attack('by taking both away, and a keyring without the former keys', async () => {
      await asked(question('q-1'))
      expect(await refused(keepers, `DELETE FROM entries WHERE type = 'LEDGER_SEALED'`)).toMatch(
        /no key that opens with this secret/,
      )
      // They did not wait for the lane, and put it back: nothing of it was sealed meanwhile.
      expect(await scene.place.sql(`SELECT kid FROM keys WHERE purpose = 'seal'`)).toEqual([])
    })
  })

  attack(
    'a ledger begins sealed: LEDGER_SEALED follows on the first LANE_STARTED, and says that there was nothing before',
    async () => {
      const [first, second] = await scene.entries()
      expect([first?.type, second?.type]).toEqual(['LANE_STARTED', 'LEDGER_SEALED'])
      expect(second?.body).toEqual({ size: 0, hash: ZERO })
      expect(await verified()).toEqual({ lines: [], seals: [] })
    },
  )
})
