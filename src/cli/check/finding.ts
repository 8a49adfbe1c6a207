// What one look of the doctor found: a line, and what to do about it.

export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly remedy: string | null
}

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

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
