/** Into how many parts each table is spread by stream. One part: everything in a process of its own, or a test. */
export interface Spread {
  /** Of one day's records. */
  readonly records: number;
  /** Of the records that are kept always. */
  readonly forever: number;
  /** Of the latest state of messages. */
  readonly messages: number;
}

/**
 * Tables that are there keep the parts they have. Each number divides 64: where one part grows too large, it can be
 * exchanged for several with a multiple of its modulus while the others stay.
 */
export const SERVER_SPREAD: Spread = { records: 8, forever: 16, messages: 8 };
export const SINGLE_SPREAD: Spread = { records: 1, forever: 1, messages: 1 };

/** Splits a table by the hash of the stream. */
export const hashParts = (
  of: string,
  part: (index: number) => string,
  count: number,
  storage = '',
): string[] =>
  Array.from(
    { length: count },
    (_, index) =>
      `create table if not exists ${part(index)} partition of ${of} for values with (modulus ${count}, remainder ${index})${storage}`,
  );
