/** A serial as clients write it: an integer of 0 to 2^53-1 or its decimal text. Undefined: something else. */
export function readSerial(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
