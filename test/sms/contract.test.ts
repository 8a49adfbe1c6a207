// SMS as a channel like every other: the one contract, against the provider's emulator.
import { adapterContract, type Stranger } from '../contract/adapter.js'
import { codeIn, DEPUTY, type Message, NOBODY, OWNER, raiseProvider, says, spokenIn } from './provider.js'

const NUMBERS: Readonly<Record<Stranger, string>> = { deputy: DEPUTY, nobody: NOBODY }

adapterContract<Message>('SMS', async front => {
  const provider = await raiseProvider(`${front.url}/hooks/sms`)
  return {
    channel: 'sms',
    proof: 'sms_from',
    env: provider.env,
    addresses: { owner: `"${OWNER}"`, deputy: `"${DEPUTY}"` },
    // A code counts only together with the number it was sent to: from another it names nothing.
    strangers: { deputy: null, nobody: null },
    delivered: async () => (await provider.messages()).filter(({ to }) => to === OWNER),
    answer: ({ body }, text) => provider.text(OWNER, `${text} ${codeIn(body)}`),
    answerAs: (stranger, { body }, text) => provider.text(NUMBERS[stranger], `${text} ${codeIn(body)}`),
    repeat: async () => void (await front.repeat()),
    told: async () => front.passages.flatMap(({ answer }) => spokenIn(answer) ?? []),
    edited: async () => null,
    outage: async on => provider.fault(() => (on ? says(503, 20_503) : null)),
    stop: () => provider.stop(),
  }
})
