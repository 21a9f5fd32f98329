import { ServiceError } from '@carillon/errors';

/**
 * The store did not answer, is closed, or cannot execute the operation: HTTP 503. Whether a write happened is
 * unknown, except for `CacheFull`.
 */
export class CacheUnavailable extends ServiceError {
  constructor(text = 'The cache is unavailable, retry', cause?: unknown) {
    super('service_unavailable', { text, cause });
  }
}

/** The memory for entries that must not be evicted is exhausted, for this app or in total. Nothing was written. */
export class CacheFull extends CacheUnavailable {
  /** @param owner the app; empty: unknown */
  constructor(readonly owner: string) {
    super('The cache is full, retry');
  }
}

/** `incrementBy` met a value that is not an integer, or a sum beyond the safe integers. Nothing was written. */
export class CacheValueNotInteger extends Error {
  override readonly name = 'CacheValueNotInteger';

  constructor(entryName: string) {
    super(`the cache entry ${JSON.stringify(entryName)} is not an integer that the amount can be added to`);
  }
}
