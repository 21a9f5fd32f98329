/** What a driver can do. An option of a job that needs more is refused, never dropped. */
export interface QueueCapabilities {
  /** False: producer-only, `process` throws. */
  readonly consume: boolean;
  readonly acknowledgements: boolean;
  /** False: `delayMs` above 0 is refused. */
  readonly delayedDelivery: boolean;
  readonly retries: boolean;
  readonly deadLetter: boolean;
  /** False: `jobId` and `deduplicationKey` are refused. */
  readonly deduplication: boolean;
  /** Whether jobs of a process that died are given to another one. */
  readonly leasing: boolean;
  /** Whether an accepted job outlives this process. */
  readonly durable: boolean;
  readonly batchEnqueue: boolean;
  /** Whether the whole queue serves owners of jobs (`partitionKey`) in turn. False: only the jobs a worker holds. */
  readonly fairOwners: boolean;
  /** Whether `stats` tells how much waits. */
  readonly observableLag: boolean;
  /** Whether it also tells for how long: null then means that nothing waits. */
  readonly observableAge: boolean;
}

/** How much a driver takes. */
export interface QueueLimits {
  /** Longest `delayMs`; Infinity where there is no end. */
  readonly maxDelayMs: number;
  /** Most jobs written at once; a larger batch is written in chunks. */
  readonly maxBatchJobs: number;
  /** Most bytes of one job's data, in UTF-8. Producers split what is larger. */
  readonly maxJobBytes: number;
  /** False: `maxAttempts` is refused. */
  readonly attemptOverride: boolean;
}
