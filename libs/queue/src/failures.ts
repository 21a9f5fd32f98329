/** The broker did not answer, or not in time; whether a write happened is unknown. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

/** The driver cannot honour an option of the job. Nothing was written. */
export class QueueOptionUnsupported extends Error {
  override readonly name = 'QueueOptionUnsupported';

  constructor(
    readonly driver: string,
    readonly option: string,
    why = 'is not supported',
  ) {
    super(`queue driver ${driver}: ${option} ${why}`);
  }
}

/** The job is malformed or too large. Nothing was written. */
export class InvalidJob extends Error {
  override readonly name = 'InvalidJob';
}

/** A job of this id exists with other data. Nothing was written. */
export class JobConflict extends Error {
  override readonly name = 'JobConflict';

  constructor(readonly jobId: string) {
    super('a job with this id and other data exists');
  }
}

/** The driver's place for jobs is full. Nothing was written. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';

  constructor(
    /** Null if the broker does not report it. */
    readonly capacity: number | null,
    unit: 'bytes' | 'jobs' = 'jobs',
  ) {
    super(capacity === null ? 'the queue is full' : `the queue is full (${capacity} ${unit})`);
  }
}

/** The process is stopping. */
export class QueueStopped extends Error {
  override readonly name = 'QueueStopped';

  constructor() {
    super('queue is shutting down');
  }
}

/** This process already has a handler for the queue. */
export class HandlerExists extends Error {
  override readonly name = 'HandlerExists';

  constructor(readonly queue: string) {
    super(`queue ${queue} has a handler already`);
  }
}

/** The driver only produces, or is `none`. */
export class CannotConsume extends Error {
  override readonly name = 'CannotConsume';

  constructor(readonly driver: string) {
    super(`queue driver ${driver} cannot consume`);
  }
}

/** Some jobs of a batch were written and others not. */
export class BatchIncomplete extends Error {
  override readonly name = 'BatchIncomplete';

  constructor(
    /** In the order of the batch; null: not written, or not known to be. */
    readonly ids: readonly (string | null)[],
    /** Failed jobs by index in the batch. */
    readonly failures: readonly { readonly index: number; readonly error: Error }[],
  ) {
    super(`${failures.length} of ${ids.length} jobs were not enqueued`, { cause: failures[0]?.error });
  }
}
