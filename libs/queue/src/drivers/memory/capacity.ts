import { QueueFull } from '../../failures.js';

/** Fraction of the total that one owner may use; the same fraction limits dead letters. */
const SHARES = 4;
/**
 * Factor by which jobs created by running jobs may exceed the limits: a full queue could make no progress otherwise.
 */
const RESERVE = 1.25;

interface Amount {
  jobs: number;
  bytes: number;
}

/** A job as it is counted. */
export interface Counted {
  readonly data: string;
  /** Null or absent: no owner. */
  readonly owner?: string | null;
}

/** Jobs and bytes in memory over all queues, in total and by owner. */
export class Capacity {
  readonly #all: Amount = { jobs: 0, bytes: 0 };
  /** Amounts by owner, without dead letters. */
  readonly #owners = new Map<string, Amount>();
  #deadBytes = 0;

  constructor(
    private readonly mostJobs: number,
    private readonly mostBytes: number,
  ) {}

  /** Throws `QueueFull` unless there is room for all of them, in all and for each of their owners. */
  check(jobs: Iterable<Counted & { readonly isFollowUp?: boolean }>): void {
    const all = { ...this.#all };
    const owners = new Map<string, Amount>();
    for (const job of jobs) {
      const factor = job.isFollowUp === true ? RESERVE : 1;
      this.#check(grown(all, job.data), factor);
      if (job.owner === null || job.owner === undefined) continue;
      const own = owners.get(job.owner) ?? { ...this.#of(job.owner) };
      owners.set(job.owner, own);
      this.#check(grown(own, job.data), factor / SHARES);
    }
  }

  add({ data, owner }: Counted): void {
    grown(this.#all, data);
    if (owner === null || owner === undefined) return;
    const own = this.#of(owner);
    this.#owners.set(owner, own);
    grown(own, data);
  }

  /** Accounts for changed data of a job. */
  change(job: Counted, data: string): void {
    this.#leave(job);
    shrunk(this.#all, job.data);
    this.add({ ...job, data });
  }

  /** A job is done. */
  release(job: Counted): void {
    this.#leave(job);
    shrunk(this.#all, job.data);
  }

  /** Moves a job to the dead letters: it no longer counts for its owner. */
  bury(job: Counted): void {
    this.#leave(job);
    this.#deadBytes += bytesOf(job.data);
  }

  /** Whether dead letters must be evicted by size, before their number requires it. */
  get hasTooManyDead(): boolean {
    return this.#deadBytes > this.mostBytes / SHARES;
  }

  /** A dead letter becomes a job again. */
  revive(job: Counted): void {
    this.forget(job);
    this.add(job);
  }

  /** A dead letter is gone. */
  forget({ data }: Counted): void {
    this.#deadBytes -= bytesOf(data);
    shrunk(this.#all, data);
  }

  #of(owner: string): Amount {
    return this.#owners.get(owner) ?? { jobs: 0, bytes: 0 };
  }

  #leave({ data, owner }: Counted): void {
    const own = owner === null || owner === undefined ? undefined : this.#owners.get(owner);
    if (own === undefined || owner === null || owner === undefined) return;
    shrunk(own, data);
    if (own.jobs === 0) this.#owners.delete(owner);
  }

  #check({ jobs, bytes }: Amount, part: number): void {
    if (jobs > Math.ceil(this.mostJobs * part)) throw new QueueFull(this.mostJobs);
    if (bytes > this.mostBytes * part) throw new QueueFull(this.mostBytes, 'bytes');
  }
}

const bytesOf = (data: string): number => Buffer.byteLength(data);

function grown(amount: Amount, data: string): Amount {
  amount.jobs += 1;
  amount.bytes += bytesOf(data);
  return amount;
}

function shrunk(amount: Amount, data: string): void {
  amount.jobs -= 1;
  amount.bytes -= bytesOf(data);
}
