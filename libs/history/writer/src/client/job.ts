import type { CommitRecord, CommitResult } from '@carillon/contracts';

/** Records that travel together and are answered together: one, or those of a chain. */
export class Job {
  readonly done: Promise<readonly CommitResult[]>;
  /** Bytes of its records in a request; 0 if requests are not serialized. */
  readonly bytes: number;
  readonly chain: boolean;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  /** Each once. */
  readonly channels: readonly string[];
  #resolve: (results: readonly CommitResult[]) => void = () => {};
  #settled = false;

  constructor(
    readonly records: readonly CommitRecord[],
    { bytes, chain, deadlineMs }: Pick<Job, 'bytes' | 'chain' | 'deadlineMs'>,
  ) {
    this.bytes = bytes;
    this.chain = chain;
    this.deadlineMs = deadlineMs;
    const names = records.map(({ app_id: appId, channel }) => `${appId}\0${channel}`);
    this.channels = names.length === 1 ? names : [...new Set(names)];
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get settled(): boolean {
    return this.#settled;
  }

  settle(results: readonly CommitResult[]): void {
    this.#settled = true;
    this.#resolve(results);
  }
}

/** Serialized size of a record, computed without serializing it twice. */
export const recordBytes = (record: CommitRecord): number => Buffer.byteLength(JSON.stringify(record));
