import { ServiceError } from '@carillon/errors';

/** The store already has another app with this id or this key. Thrown by `create` and `update`; nothing was written. */
export class AppConflict extends Error {
  override readonly name = 'AppConflict';

  constructor(
    readonly appId: string,
    readonly field: 'id' | 'key',
  ) {
    super(
      field === 'id' ? `app "${appId}" exists already` : `the key of app "${appId}" belongs to another app`,
    );
  }
}

/** There is no app to update. */
export class AppNotFound extends Error {
  override readonly name = 'AppNotFound';

  constructor(readonly appId: string) {
    super(`app "${appId}" does not exist`);
  }
}

/** The stored record has another revision than the writer has read. Thrown by `update`; nothing was written. */
export class AppChanged extends Error {
  override readonly name = 'AppChanged';

  constructor(readonly appId: string) {
    super(`app "${appId}" was changed since it was read`);
  }
}

/**
 * The store has no way to hold this record, however often it is tried. Thrown by `create` and `update`; nothing was
 * written.
 */
export class AppNotStorable extends Error {
  override readonly name = 'AppNotStorable';

  /** The reason names no value. */
  constructor(
    readonly appId: string,
    reason: string,
  ) {
    super(`app "${appId}" cannot be stored: ${reason}`);
  }
}

/** The store did not answer, or not in time; whether a write happened is unknown. */
export class AppStoreUnavailable extends Error {
  override readonly name = 'AppStoreUnavailable';
}

/**
 * The existence of the app could not be determined: HTTP 503, socket closed with 4100. Never answered as "not found",
 * which would make clients stop reconnecting.
 */
export class AppLookupUnavailable extends ServiceError {
  constructor(cause: unknown) {
    super('service_unavailable', { text: 'The app could not be looked up, retry', cause });
  }
}
