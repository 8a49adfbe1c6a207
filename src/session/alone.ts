// Where a session is enough by itself. A cookie knows neither ports nor paths: on this machine any program that listens can
// be sent it, and under a path so can the pages beside. The doctor says so, and the door asks for more there.
export function isAlone(publicUrl: string): boolean {
  const { protocol, pathname } = new URL(publicUrl)
  return protocol === 'https:' && pathname === '/'
}
