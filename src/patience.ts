// Waiting for somebody else's server, but not for ever.

/** The promise's value, or `late` once `ms` have passed; a later rejection concerns nobody any more. */
export async function within<T>(ms: number, promise: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const alarm = new Promise<T>(resolve => {
    timer = setTimeout(() => resolve(late), ms)
  })
  try {
    return await Promise.race([promise, alarm])
  } finally {
    clearTimeout(timer)
    promise.catch(() => undefined)
  }
}
