// Whether a host is this machine itself: what is said to it crosses no network. As a URL spells it, or bare.
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1|\[::1\])$/i.test(host)
