// The list behind "Hand it on", pure: those who could take the request at this moment. What is chosen comes back as the
// reply that a person would write.
import type { types } from '@slack/bolt'
import { type Beside, type Display, writeDelegation } from '../../src/adapter/index.js'
import { rich, stamp } from './document.js'
import { BOLD, line, plain, shortened, words } from './inert.js'
import { ANSWER, choiceOf } from './inputs.js'

export const HAND_VIEW = 'lane:hand-on'

/** Slack's limit for the value of an option, at its strictest; a longer name can be written in the thread. */
const VALUE_UNITS = 75
/** The same for its text, with the margin of every other. */
const FACE_UNITS = 71

const MEANING =
  'Whoever you choose is asked in your place, and you can no longer answer. Both names are recorded.'

type Delegates = Beside['delegates']

/** Null where nobody could take it. */
export function handView(
  display: Display,
  delegates: Delegates,
  private_metadata: string,
): types.ModalView | null {
  const options = delegates.filter(({ user_id }) => user_id.length <= VALUE_UNITS).map(optionOf)
  if (options.length === 0) return null
  return {
    type: 'modal',
    callback_id: HAND_VIEW,
    private_metadata,
    title: plain('Hand it on'),
    submit: plain('Hand it on'),
    close: plain('Cancel'),
    blocks: [
      rich(line(words(display.headline, BOLD)), line(words(MEANING))),
      stamp(display),
      {
        type: 'input',
        block_id: ANSWER,
        label: plain('Who answers in your place'),
        element: choiceOf(options),
      },
    ],
  }
}

const optionOf = ({ user_id, name }: Delegates[number]): types.PlainTextOption => ({
  text: plain(shortened(name, FACE_UNITS)),
  value: user_id,
  description: plain(shortened(user_id, FACE_UNITS)),
})

/** A client could send any string as a name: one that is none hands nothing on. */
export function handingOf(name: string): { readonly text: string; readonly hands?: true } {
  const text = writeDelegation(name)
  return text === null ? { text: '' } : { text, hands: true }
}
