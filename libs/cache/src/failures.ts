import { ServiceError } from '@carillon/errors';

/**
 * The store did not answer, is closed, or cannot do what was asked: HTTP 503. Whether a write happened is unknown,
 * except for `CacheFull`.
 */
export class CacheUnavailable extends ServiceError {
  constructor(text = 'The cache is unavailable, retry', cause?: unknown) {
    super('service_unavailable', { text, cause });
  }
}

/** A memory cache whose room for what may not be evicted is taken, by this app or by all. Nothing was written. */
export class CacheFull extends CacheUnavailable {
  /** @param owner the app; empty: nobody knows */
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
