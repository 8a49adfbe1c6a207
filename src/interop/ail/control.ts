// The lines that are written to `ail`. Each is one JSON object on one line: what stands in a text cannot begin another one, and
// nothing else is ever written, since `ail` takes a line that is no JSON for a prompt.

const line = (value: Readonly<Record<string, unknown>>): string => `${JSON.stringify(value)}\n`

/** Opens the gate that waits, whatever it says: the step is named for whoever reads along. */
export const opening = (stepId: string, text: string): string =>
  line({ type: 'hitl_response', step_id: stepId, text })

/** This once: `allow_for_session` would allow every later use of the tool. */
export const allowing = (): string => line({ type: 'permission_response', allowed: true })

/** Also the way a question of the agent's is answered: its answer is the reason. */
export const denying = (reason: string): string =>
  line({ type: 'permission_response', allowed: false, reason })
