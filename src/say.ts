// The lines an operator is told.

/** A line for the operator; never an address, a handle, a code or a person's words. */
export type Say = (level: 'info' | 'warn' | 'error', words: string, about?: Record<string, unknown>) => void

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
