const DIGITS = 20;

/** Inputs of a new serial. */
export interface Numbering {
  readonly nowMs: number;
  /** New at every start of a process. */
  readonly writerId: string;
  /** Never the same twice for one writer id. */
  readonly count: number;
}

/** Returns a serial that is greater in byte order than the previous one, whatever the clock; null: no previous one. */
export function nextSerial(before: string | null, { nowMs, writerId, count }: Numbering): string {
  const serialAt = (ms: number): string => `${padded(ms)}:${writerId}:${padded(count)}`;
  const ms = before === null ? nowMs : Math.max(nowMs, Number(before.slice(0, DIGITS)));
  const serial = serialAt(ms);
  return before !== null && serial <= before ? serialAt(ms + 1) : serial;
}

const padded = (number: number): string => String(number).padStart(DIGITS, '0');

const SERIAL = /^[^\s\0]+$/;
const MAX_SERIAL_BYTES = 128;

/** Whether a text may be the serial of a message, a version or an annotation. */
export const isSerial = (text: string): boolean =>
  SERIAL.test(text) && Buffer.byteLength(text) <= MAX_SERIAL_BYTES;
