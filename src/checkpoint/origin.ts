// The name of the log: where people reached the lane when the log began, an id of its own, and the epoch, which changes
// only when a rollback was accepted.

/** Host with its port, path without its last slash. */
export function originOf(publicUrl: string, logId: string): string {
  const { host, pathname } = new URL(publicUrl)
  const place = `${host}${pathname.replace(/\/$/, '')}`.replaceAll('+', '%2B')
  return `${place}/${logId}/1`
}

/** The origin's last two parts. */
export function logOf(origin: string): { readonly logId: string; readonly epoch: number } {
  const [epoch = '', logId = ''] = origin.split('/').reverse()
  return { logId, epoch: Number(epoch) }
}

export function nextEpoch(origin: string): string {
  const { epoch } = logOf(origin)
  return `${origin.slice(0, origin.lastIndexOf('/'))}/${epoch + 1}`
}
