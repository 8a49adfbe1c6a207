// An agent that publishes a page: it chooses where with a person's answer, and publishes by a person's right.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, NotApproved } from 'interrupt-lane/client'

const file = process.argv[2] ?? 'page.html'
const page = readFileSync(file)
const name = createHash('sha256').update(page).digest('hex').slice(0, 16)
const lane = connect()

const where = await lane
  .ask({
    id: `where-${name}`,
    question: 'Which site takes the page first?',
    impact: 'Decides who sees it first; the other site follows a day later',
    reply: {
      kind: 'choice',
      options: [
        { value: 'staff', label: 'The site for staff' },
        { value: 'public', label: 'The public site' },
      ],
    },
    deadlineSeconds: 1800,
    default: 'HALT',
  })
  .wait()
if (where.kind !== 'answered') stop(`no site was chosen: ${where.kind}`)

const parameters = { page: await lane.putContent(page), site: await lane.putContent(where.answer) }
const approval = await lane
  .approve({
    id: `publish-${name}`,
    action: 'PUBLISH',
    parameters,
    deadlineSeconds: 1800,
    default: 'DO_NOT_PUBLISH',
  })
  .wait()
if (approval.kind !== 'answered') stop(`not approved: ${approval.kind}`)
if (approval.answer === 'NO') stop(`${approval.by} said no`)
if (approval.policyToken === undefined) stop('approved, and the right was used before or has expired')
await use(approval.policyToken)
publish(where.answer)

/** The right is checked before it is spent, and spent before it is used: once, under a name of its own. */
async function use(token: string): Promise<void> {
  try {
    await lane.assertApproved(token, 'PUBLISH', parameters)
  } catch (error) {
    stop(error instanceof NotApproved ? `not approved: ${error.code}` : String(error))
  }
  const spent = await lane.spend({ token, action: 'PUBLISH', parameters, spendId: `publish-${name}` })
  if (spent.kind === 'not_spent') stop(`the right was not given: ${spent.code}`)
}

function publish(site: 'staff' | 'public'): void {
  console.log(`published ${file} on the ${site} site`)
}

function stop(why: string): never {
  console.error(why)
  process.exit(1)
}
