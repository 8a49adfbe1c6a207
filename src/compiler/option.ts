// An option is called by its letter or by its value. A value is never another option's letter, so no name calls two.

import { isSame, letterIndex } from './ascii.js'
import type { Option } from './reply-schema.js'

/** The index of the option that a name calls, or -1. */
export function optionCalled(options: readonly Option[], name: string): number {
  const index = letterIndex(name)
  if (index >= 0 && index < options.length) return index
  return options.findIndex(option => isSame(name, option.value))
}

/** The letter an option is shown under: A for the first. */
export const letterOf = (index: number): string => String.fromCharCode(0x41 + index)
