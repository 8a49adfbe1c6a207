// Unguessable bytes, drawn from the system a block at a time: asking it for a few costs as much as asking for many. No
// byte is given out twice, and none stays in the block once it has been.
import { randomBytes } from 'node:crypto'

const BLOCK_BYTES = 4_096

let block = Buffer.alloc(0)
let at = 0

export function draw(bytes: number): Buffer {
  if (bytes > BLOCK_BYTES) return randomBytes(bytes)
  if (at + bytes > block.length) {
    block = randomBytes(BLOCK_BYTES)
    at = 0
  }
  const drawn = Buffer.from(block.subarray(at, at + bytes))
  block.fill(0, at, at + bytes)
  at += bytes
  return drawn
}
