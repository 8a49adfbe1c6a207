// The shape of what the configuration says of people beside their addresses: their groups, their hours, and who may stand
// in for them.
import { z } from 'zod'
import { HOUR, isZone, WEEKDAYS } from '../people/zone.js'
import { ID_WORDS, id } from '../request/field.js'
import { isWho } from '../request/group.js'
import { fieldsOnly } from '../request/refusal.js'

/** A longer list is a mailing list, and nobody's decision. */
const MAX_GROUP = 10
const GROUP_WORDS = `a list of 1 to ${MAX_GROUP} different recipients`
const GROUPS_WORDS = `groups by name, each ${GROUP_WORDS}`
const DELEGATES_WORDS = `a list of 1 to ${MAX_GROUP} different recipients or groups (group:NAME) who may stand in`
const WHO_WORDS = `a recipient's id, ${ID_WORDS}, or group:NAME`
const ZONE_WORDS = 'the IANA name of a time zone, such as Europe/Berlin'
const HOUR_WORDS = 'an hour such as "22:00", in quotes'
const DAYS_WORDS = `one or more different days of ${WEEKDAYS.join(', ')}: those on which the quiet hours begin`
const SAME_WORDS = 'another hour than from: with one and the same they could be the whole day or none of it'

const allDiffer = (values: readonly string[]): boolean => new Set(values).size === values.length

export const who = z.string({ error: WHO_WORDS }).refine(isWho, { error: WHO_WORDS })

export const groups = z
  .record(
    id,
    z
      .array(id, { error: GROUP_WORDS })
      .min(1, { error: GROUP_WORDS })
      .max(MAX_GROUP, { error: GROUP_WORDS })
      .refine(allDiffer, { error: GROUP_WORDS }),
    { error: GROUPS_WORDS },
  )
  .exactOptional()

const hour = z.string({ error: HOUR_WORDS }).regex(HOUR, { error: HOUR_WORDS })
const HOURS = {
  from: hour,
  to: hour,
  days: z
    .array(z.enum(WEEKDAYS, { error: DAYS_WORDS }), { error: DAYS_WORDS })
    .min(1, { error: DAYS_WORDS })
    .refine(allDiffer, { error: DAYS_WORDS })
    .exactOptional(),
}

/** The fields of a person that say when and in whose place they are asked. */
export const hoursAndDelegates = {
  time_zone: z.string({ error: ZONE_WORDS }).refine(isZone, { error: ZONE_WORDS }).exactOptional(),
  quiet_hours: z
    .strictObject(HOURS, { error: fieldsOnly('quiet_hours', Object.keys(HOURS)) })
    .refine(({ from, to }) => from !== to, { path: ['to'], error: SAME_WORDS })
    .exactOptional(),
  delegates: z
    .array(who, { error: DELEGATES_WORDS })
    .min(1, { error: DELEGATES_WORDS })
    .max(MAX_GROUP, { error: DELEGATES_WORDS })
    .refine(allDiffer, { error: DELEGATES_WORDS })
    .exactOptional(),
}
