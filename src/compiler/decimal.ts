// Plain decimals, exactly. A decimal is held as a count of millionths, so that bounds and steps are compared as they
// were written: 0.1 + 0.2 is 0.3 here.

const MAX_INTEGER_DIGITS = 15
const MAX_FRACTION_DIGITS = 6
const UNITS_PER_ONE = 10n ** BigInt(MAX_FRACTION_DIGITS)

/** Millionths. */
export type Decimal = bigint

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

function endOfDigits(text: string, from: number): number {
  let at = from
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1
  return at
}

/** `-?[0-9]{1,15}(\.[0-9]{1,6})?`, or null. */
export function readDecimal(text: string): Decimal | null {
  const start = text.startsWith('-') ? 1 : 0
  const point = endOfDigits(text, start)
  if (point === start || point - start > MAX_INTEGER_DIGITS) return null
  if (point === text.length) return signed(text, text.slice(start), '')
  const end = endOfDigits(text, point + 1)
  const digits = end - point - 1
  if (text[point] !== '.' || end !== text.length || digits < 1 || digits > MAX_FRACTION_DIGITS) return null
  return signed(text, text.slice(start, point), text.slice(point + 1))
}

function signed(text: string, integer: string, fraction: string): Decimal {
  const size = BigInt(integer + fraction.padEnd(MAX_FRACTION_DIGITS, '0'))
  return text.startsWith('-') ? -size : size
}

/** The decimal a JSON number is written as; null if it is not one of ours (too large, too fine, not finite). */
export const decimalOf = (number: number): Decimal | null => readDecimal(String(number))

/** The JSON number that is written as this decimal; null if no double is: nothing is rounded in silence. */
export function numberOf(decimal: Decimal): number | null {
  const number = Number(spell(decimal))
  return decimalOf(number) === decimal ? number : null
}

/** The shortest spelling: no leading or trailing zeros, no minus before zero. */
export function spell(decimal: Decimal): string {
  const size = decimal < 0n ? -decimal : decimal
  const fraction = String(size % UNITS_PER_ONE).padStart(MAX_FRACTION_DIGITS, '0')
  const whole = `${decimal < 0n ? '-' : ''}${size / UNITS_PER_ONE}`
  const end = lastNonZero(fraction)
  return end === 0 ? whole : `${whole}.${fraction.slice(0, end)}`
}

function lastNonZero(digits: string): number {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end -= 1
  return end
}

/** The largest whole number that is not above it. */
export function floor(decimal: Decimal): Decimal {
  const rest = decimal % UNITS_PER_ONE
  return rest < 0n ? decimal - rest - UNITS_PER_ONE : decimal - rest
}
