// A finding of the doctor: a line, and what to do about it.

import type { Finding } from '../../adapter/contract.js'

export type { Finding }

export const ok = (check: string, message: string): Finding => ({
  check,
  status: 'ok',
  message,
  remedy: null,
})
export const warn = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'warn',
  message,
  remedy,
})
export const fail = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'fail',
  message,
  remedy,
})
