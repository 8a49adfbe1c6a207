// Whether a host, as a URL spells it or bare, is this machine itself: traffic to it crosses no network.
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1|\[::1\])$/i.test(host)
