// Every page of the console is HTML that holds together, as the reply page is.
import { afterAll, beforeAll, describe } from 'vitest'
import { approval, type LaneUnderTest, question, review, startLane, UNLIMITED } from '../lane-under-test.js'
import { asPerson, signedIn } from '../session/signed-in.js'
import { holdsTogether } from '../web/structure.js'

const PAGES: Readonly<Record<'person' | 'operator' | 'nobody', readonly string[]>> = {
  person: [
    '/console/inbox',
    '/console/inbox?at=ship',
    '/console/inbox?at=long',
    '/console/inbox?at=old',
    '/console/inbox?type=REQUEST_REVIEW',
    '/console/inbox?urgency=high',
    '/console/inbox?view=past',
    '/console/requests/pub',
    '/console/requests/look',
    '/console/requests/old',
    '/console/requests/nothing',
    '/console/passkeys',
    '/console/operations',
  ],
  operator: [
    '/console/operations',
    ...['runs', 'deliveries', 'people', 'keys', 'channels', 'ledger'].map(
      view => `/console/operations?view=${view}`,
    ),
    '/console/operations?request=old',
    '/console/operations?request=pub',
    '/console/inbox',
  ],
  nobody: [
    '/console/sign-in',
    '/console/sign-in?to=/console/inbox',
    '/console/sign-in?link=spent',
    '/console/passkeys/new?link=spent',
  ],
}

let lane: LaneUnderTest
const bodies = new Map<string, string>()
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
  await lane.submit(question('ship', { deadline_seconds: 900 }))
  await lane.submit(question('old'))
  await lane.answer(await lane.link('old'), 'yes')
  await lane.submit(review('look'))
  // What a caller writes is never read as markup.
  const options = ['A', 'B'].map(value => ({ value, label: `</button><h1 id="main">${value} & "co"` }))
  await lane.submit(
    question('long', {
      question_text: '<script>1</script> & so on?',
      reply_schema: { kind: 'choice', options },
    }),
  )
  await lane.submit(approval('pub'))
  const { json } = await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })
  const cookies = {
    person: await asPerson(lane),
    operator: await signedIn(lane, { kind: 'operator', key_id: String(json.key_id) }),
    nobody: {},
  }
  for (const who of ['person', 'operator', 'nobody'] as const)
    for (const path of PAGES[who]) {
      const response = await fetch(`${lane.url}${path}`, { headers: cookies[who], redirect: 'error' })
      bodies.set(`${who} ${path}`, await response.text())
    }
})
afterAll(() => lane.close())

describe.each(Object.entries(PAGES).flatMap(([who, paths]) => paths.map(path => `${who} ${path}`)))(
  'the console: %s',
  name => holdsTogether(() => bodies.get(name) ?? ''),
)
