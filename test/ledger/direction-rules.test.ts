// I19: what no policy may allow, whoever decides. Each crafted ledger has a sound chain of sound entries.
import { describe, expect, test } from 'vitest'
import { instant } from '../../src/clock.js'
import type { Draft } from '../../src/event.js'
import { Craft, found, hashed, START, started } from './craft.js'
import { answeredApproval, approval, Directed } from './directed.js'
import { question, Tale } from './tale.js'

function breaks(what: string, tell: (craft: Craft) => unknown, seqs?: number) {
  test(`I19 ${what}`, async () => {
    const craft = new Craft()
    tell(craft)
    expect(await found(craft)).toEqual([['I19', seqs ?? craft.seq - 1]])
  })
}
/** Approved and decided: the right may be issued next. */
function going(craft: Craft): Directed {
  const directed = answeredApproval(craft, 'a-1')
  directed.decided()
  return directed
}
function issued(craft: Craft): Directed {
  const directed = going(craft)
  directed.issued()
  return directed
}
function refused(craft: Craft): Directed {
  const tale = new Tale(craft, approval(), 'a-1').asked()
  tale.answered(tale.reply({ parsed_choice: 'NO' }))
  return new Directed(craft, tale)
}
function silent(craft: Craft): Directed {
  const tale = new Tale(craft, approval(), 'a-1').asked()
  craft.later(60_000)
  tale.timedOut('defaulted', { deliveries: [{ delivery_id: 'd-a-1', state: 'sent' }] })
  return new Directed(craft, tale)
}

describe('decisions', () => {
  breaks('refuses a second one about an outcome', craft => going(craft).decided({ decision: 'HALT' }))
  breaks('refuses CONTINUE after a NO', craft => refused(craft).decided())
  breaks('refuses CONTINUE after silence', craft => silent(craft).decided())
  breaks('refuses CONTINUE for an approval that is open', craft =>
    new Directed(craft, new Tale(craft, approval(), 'a-1').asked()).decided({ because: 0, by: 'key-3' }),
  )
  breaks('refuses the lane’s own before there is an outcome', craft =>
    new Directed(craft, new Tale(craft).asked()).decided({ because: 0 }),
  )
  breaks('refuses one about another entry', craft => answeredApproval(craft, 'a-1').decided({ because: 4 }))

  test('a director that steers a waiting run, and then decides about the outcome, breaks nothing', async () => {
    const craft = new Craft()
    const tale = new Tale(craft, approval(), 'a-1').asked()
    const before = new Directed(craft, tale)
    before.decided({ decision: 'HALT', because: 0, by: 'key-3' })
    before.decided({ decision: 'CHANGE_MOOD', mood: 'CALM', because: 0, by: 'key-3' })
    tale.answered()
    const after = new Directed(craft, tale)
    after.decided({ by: 'key-3' })
    after.issued()
    expect(await found(craft)).toEqual([])
  })
})

describe('proposals', () => {
  breaks('refuses a preference nobody has stated', craft => {
    const tale = new Tale(craft).asked()
    tale.withdrawn()
    new Directed(craft, tale).proposed()
  })
  breaks('refuses a preference read out of an approval', craft => going(craft).proposed())

  test.each(['assert', 'hypothesize'])('I4 refuses %s as proposed, by whomever', async field => {
    const craft = new Craft()
    const tale = new Tale(craft, question()).asked()
    tale.answered()
    const { because } = new Directed(craft, tale)
    const body = { field, state: 'proposed', delta: ['x'], because, by: 'key-3' }
    craft.force({ type: 'AHDB_DELTA', ...tale.ids, body })
    expect(await found(craft)).toEqual([['I4', craft.seq - 1]])
  })
})

describe('policy tokens', () => {
  breaks('refuses one after a NO', craft => {
    const directed = refused(craft)
    directed.decided({ decision: 'HALT' })
    directed.issued()
  })
  breaks('refuses one for a question answered YES', craft => {
    const tale = new Tale(craft).asked()
    tale.answered()
    const directed = new Directed(craft, tale)
    directed.decided()
    directed.issued()
  })
  breaks('refuses one before anybody has decided', craft => answeredApproval(craft, 'a-1').issued())
  breaks('refuses one for a run that was halted', craft => {
    const directed = answeredApproval(craft, 'a-1')
    directed.decided({ decision: 'HALT' })
    directed.issued()
  })
  breaks('refuses a second one', craft => issued(craft).issued({ jti: hashed('other').slice(7, 29) }))
  breaks('refuses the jti of another', craft => {
    const { jti } = issued(craft)
    const second = answeredApproval(craft, 'a-2')
    second.decided()
    second.issued({ jti })
  })
  breaks('refuses another action', craft => going(craft).issued({ action: 'EXPORT' }))
  breaks('refuses other parameters', craft => going(craft).issued({ parameters_hash: hashed('other') }))
  breaks('refuses another request', craft => going(craft).issued({ request_hash: hashed('other') }))
  breaks('refuses another reply', craft => going(craft).issued({ reply_event_hash: hashed('other') }))
  breaks('refuses one issued at another time', craft =>
    going(craft).issued({ issued_at: instant(craft.ms - 1) }),
  )
  breaks('refuses one that expires later than the approval is valid', craft =>
    going(craft).issued({ expires_at: instant(craft.ms + 901_000) }),
  )
  breaks('refuses one whose time is counted from a later moment than the resolution', craft => {
    const directed = going(craft)
    craft.later(1_000)
    return directed.issued({ expires_at: instant(craft.ms + 900_000) })
  })
  breaks('refuses one that is valid beyond all calendars, and does not fail over it', craft =>
    going(craft).issued({ valid_seconds: Number.MAX_SAFE_INTEGER }),
  )
  breaks('refuses one that has expired already', craft => going(craft).issued({ expires_at: craft.at }))

  breaks('refuses a spend without a right', craft => going(craft).spent())
  breaks('refuses a spend of another right', craft => issued(craft).spent({ jti: hashed('x').slice(7, 29) }))
  breaks('refuses a second spend', craft => {
    const directed = issued(craft)
    directed.spent()
    directed.spent({ spend_id: 's-2' })
  })
  breaks('refuses a spend at the expiry', craft => {
    const directed = issued(craft)
    craft.later(900_000)
    directed.spent()
  })
  breaks('refuses a spend by another key', craft => issued(craft).spent({ by: 'key-2' }))
  breaks('refuses a spend after the revocation', craft => {
    const directed = issued(craft)
    directed.revoked()
    directed.spent()
  })
  breaks('refuses a revocation after the spend', craft => {
    const directed = issued(craft)
    directed.spent()
    directed.revoked()
  })
  breaks('refuses a revocation of nothing', craft => going(craft).revoked())
})

describe('I29: what a run does because of an outcome', () => {
  const untold = (craft: Craft): void => {
    new Tale(craft, question({ question_id: 'q-1' }), 'q-1').asked().withdrawn()
  }
  const next: Draft = {
    type: 'KEY_ROTATED',
    body: { kid: 'k-2', purpose: 'reply-token', not_before: instant(START) },
  }

  test('is decided in the append of its resolution', async () => {
    const craft = new Craft()
    craft.put(started)
    untold(craft)
    const seq = craft.seq - 1
    craft.put(next)
    expect(await found(craft)).toEqual([['I29', seq]])
  })

  test('is not asked of an outcome that stands before the rules that ask it', async () => {
    const craft = new Craft()
    untold(craft)
    craft.put(started)
    expect(await found(craft)).toEqual([])
  })

  test('is left to the director outside the lane that has decided for the run before', async () => {
    const craft = new Craft()
    craft.put(started)
    answeredApproval(craft, 'a-1').decided({ by: 'key-3' })
    untold(craft)
    craft.put(next)
    expect(await found(craft)).toEqual([])
  })
})
