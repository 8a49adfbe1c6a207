// A date the person typed, kept as typed, between the schema's bounds, both included.

import { carried, type ReplyReading } from './answer.js'
import { type CivilMoment, isBefore, readMoment } from './instant.js'
import type { ReplySchema } from './reply-schema.js'

export type DateSchema = Extract<ReplySchema, { kind: 'date' }>

export function readDate(schema: DateSchema, said: string): ReplyReading {
  const moment = readMoment(said)
  return moment !== null && isWithin(schema, moment) ? carried({ date: said }) : 'reply_not_in_schema'
}

function isWithin(schema: DateSchema, moment: CivilMoment): boolean {
  const min = schema.min === undefined ? moment : readMoment(schema.min)
  const max = schema.max === undefined ? moment : readMoment(schema.max)
  // A bound that names no moment would be no bound.
  if (min === null || max === null) return false
  return !isBefore(moment, min) && !isBefore(max, moment)
}
