/** Capabilities of a driver. Job options that need a missing one are refused, never dropped. */
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
  /** Whether `stats` reports queue depths. */
  readonly observableLag: boolean;
  /** Whether `stats` reports ages: null then means an empty queue. */
  readonly observableAge: boolean;
}

/** Limits of a driver. */
export interface QueueLimits {
  /** Longest `delayMs`; Infinity where there is no end. */
  readonly maxDelayMs: number;
  /** Most jobs written at once; a larger batch is written in chunks. */
  readonly maxBatchJobs: number;
  /** Limit of one job's data in UTF-8 bytes. Producers split larger data. */
  readonly maxJobBytes: number;
  /** False: `maxAttempts` is refused. */
  readonly attemptOverride: boolean;
}
