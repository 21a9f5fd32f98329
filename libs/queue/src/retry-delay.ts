/** Settings of retry delays. */
export interface RetrySettings {
  readonly retry_base_delay_ms: number;
  readonly retry_max_delay_ms: number;
  /** 0 to 1: the part of the wait that varies, in both directions. */
  readonly retry_jitter: number;
}

const WORD = 2 ** 32;
const OFFSET_HIGH = 0xcbf29ce4;
const OFFSET_LOW = 0x84222325;
/** The prime is 2^40 + 0x1b3. */
const PRIME_LOW = 0x1b3;
const PRIME_SHIFT = 2 ** 8;
/** Beyond it every wait is the longest one. */
const MAX_DOUBLINGS = 62;

/**
 * Returns the FNV-1a-64 hash of a UTF-8 text as a fraction of 1. Computed in two 32-bit halves, as Redis scripts can
 * do too.
 */
export function fnvFraction(text: string): number {
  let high = OFFSET_HIGH;
  let low = OFFSET_LOW;
  for (const byte of Buffer.from(text, 'utf8')) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * PRIME_LOW;
    high = (high * PRIME_LOW + Math.floor(product / WORD) + ((mixed * PRIME_SHIFT) % WORD)) % WORD;
    low = product % WORD;
  }
  return high / WORD + low / WORD / WORD;
}

/** The wait after a failed attempt (from 1), in whole milliseconds: the same for the same job and attempt. */
export function retryDelayMs(jobId: string, attempt: number, settings: RetrySettings): number {
  const { retry_base_delay_ms: base, retry_max_delay_ms: max, retry_jitter: jitter } = settings;
  const wait = Math.min(base * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS), max);
  const varied = wait * (1 - jitter + 2 * jitter * fnvFraction(`${jobId}:${attempt}`));
  return Math.min(Math.floor(varied), max);
}
