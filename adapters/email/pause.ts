// A wait that ends early when one of these is aborted, and leaves nothing behind: whoever listens for ever waits often.

export async function pause(ms: number, ...ends: readonly AbortSignal[]): Promise<void> {
  if (ends.some(({ aborted }) => aborted)) return
  let end = (): void => undefined
  const over = new Promise<void>(resolve => {
    end = resolve
  })
  const timer = setTimeout(end, ms)
  for (const signal of ends) signal.addEventListener('abort', end)
  await over
  clearTimeout(timer)
  for (const signal of ends) signal.removeEventListener('abort', end)
}
