/** Into how many parts each table is spread by stream. One part: everything in a process of its own, or a test. */
export interface Spread {
  /** Hash partitions of one day of records. */
  readonly records: number;
  /** Hash partitions of the records that never expire. */
  readonly forever: number;
  /** Hash partitions of the latest state of messages. */
  readonly messages: number;
}

/**
 * Existing tables keep their partitions. Each number divides 64: a partition that grows too large can be replaced by
 * several with a multiple of its modulus.
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
