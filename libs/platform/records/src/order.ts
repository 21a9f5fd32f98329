/** Compares two texts by the bytes of their UTF-8 form, as rows of a partition are ordered. */
export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Returns whether no row can be between these bounds: `from` is inclusive, `to` exclusive. */
export const isEmptyRange = (from: string | null, to: string | null): boolean =>
  to !== null && compareBytes(from ?? '', to) >= 0;
