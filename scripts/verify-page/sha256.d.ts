export function hash(
  algorithm: string,
  data: string | Uint8Array,
  encoding: 'hex' | 'buffer',
): string | Uint8Array
