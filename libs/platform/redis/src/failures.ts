/**
 * Why a call has no answer: the connection was `lost` before or while it was on its way, no answer came in time
 * (`timeout`), too many calls wait already (`busy`), the server `refused` it, or the link is `closed`.
 */
export type RedisFailure = 'busy' | 'closed' | 'lost' | 'refused' | 'timeout';

/** A call without an answer. Except for `busy`, and `closed` before it was made, whether it was carried out is unknown. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';

  constructor(
    readonly failure: RedisFailure,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
