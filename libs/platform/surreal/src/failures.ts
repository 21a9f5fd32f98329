/** The server does not answer, or the connection was lost. A request that was under way may have been executed. */
export class SurrealUnavailable extends Error {
  override readonly name = 'SurrealUnavailable';
}

/** An operator must change settings or the server: credentials, address, version or permissions. */
export class SurrealMisconfigured extends Error {
  override readonly name = 'SurrealMisconfigured';
}

/** Another transaction changed the same records first; nothing was written. The query may be sent again. */
export class SurrealConflict extends Error {
  override readonly name = 'SurrealConflict';
}

/** The query threw this value with `THROW`; nothing was written. */
export class SurrealThrown extends Error {
  override readonly name = 'SurrealThrown';

  constructor(readonly value: string) {
    super(`the query threw ${JSON.stringify(value)}`);
  }
}

/** The server rejected the query. */
export class SurrealQueryFailed extends Error {
  override readonly name = 'SurrealQueryFailed';
}
