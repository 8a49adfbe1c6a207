// The place of a message: its chat and its number. Written as one string it is the reference of a copy.

export type Spot = { readonly chat: number; readonly message: number }

export const refOf = ({ chat, message }: Spot): string => `${chat}:${message}`

export function readRef(ref: string): Spot {
  const [chat = Number.NaN, message = Number.NaN] = ref.split(':').map(Number)
  return { chat, message }
}
