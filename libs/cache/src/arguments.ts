const MAX_PAGE = 1000;

/** Throws a `RangeError` for a time that is no whole number of milliseconds, or negative. */
export function checkTtl(ttlMs: number): void {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    throw new RangeError(`ttlMs must be a whole number of at least 0, got ${ttlMs}`);
  }
}

/** Throws a `RangeError` for an amount that cannot be added exactly. */
export function checkAmount(amount: number): void {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`amount must be a safe integer, got ${amount}`);
}

/** Throws a `RangeError` for an invalid page size. */
export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new RangeError(`limit must be between 1 and ${MAX_PAGE}, got ${limit}`);
  }
}

/** Throws a `RangeError` for a cursor that no page ended with. */
export function invalidCursor(cursor: string): RangeError {
  return new RangeError(`not a cursor of this cache: ${JSON.stringify(cursor)}`);
}
