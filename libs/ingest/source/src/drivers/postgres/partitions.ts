import type { PostgresSourceOptions } from './options.js';
import { OwnedPartition } from './partition.js';
import type { Session } from './session.js';
import type { Statements } from './statements.js';

const RELEASE_EVERY_MS = 5000;

/** Partitions that this process owns, each by an advisory lock of the session. */
export class Partitions {
  readonly #owned = new Map<number, OwnedPartition>();
  #members = 1;
  #surplusAtMs = 0;
  /** Start of the next fetch, so that a full fetch does not starve the partitions behind it. */
  #turn = 0;

  constructor(
    private readonly session: Session,
    private readonly sql: Statements,
    private readonly key: number,
    private readonly count: number,
    private readonly options: PostgresSourceOptions,
  ) {}

  get all(): Iterable<OwnedPartition> {
    return this.#owned.values();
  }

  get size(): number {
    return this.#owned.size;
  }

  get(partition: number): OwnedPartition | undefined {
    return this.#owned.get(partition);
  }

  /** Partitions to try, and how many of them at most. */
  claims(): { readonly free: readonly number[]; readonly most: number } {
    const most = Math.max(0, this.#share - this.#owned.size);
    if (most === 0) return { free: [], most };
    const numbers = Array.from({ length: this.count }, (_, number) => number);
    return { free: numbers.filter((number) => !this.#owned.has(number)), most };
  }

  /** Takes over what a beat has claimed. The cursors are read after the locks were taken. */
  async joined(members: number, claimed: readonly number[]): Promise<void> {
    this.#members = Math.max(1, members);
    if (claimed.length === 0) return;
    for (const row of await this.session.query(this.sql.cursors, [claimed], 'cursors')) {
      const number = Number(row['partition']);
      const stored = { seq: String(row['seq']), n: String(row['n']) };
      this.#owned.set(number, new OwnedPartition(number, stored));
    }
  }

  /** Marks the surplus and releases what has no events in flight; call after the ends were stored. */
  async balance(nowMs: number): Promise<void> {
    const leaving = [...this.#owned.values()].filter((one) => one.isLeaving);
    const idle = leaving.filter(({ ledger }) => ledger.length === 0);
    if (idle.length > 0) await this.#release(idle);
    const surplus = this.#owned.size - leaving.length - this.#share;
    if (surplus <= 0 || nowMs - this.#surplusAtMs < RELEASE_EVERY_MS) return;
    this.#surplusAtMs = nowMs;
    const staying = [...this.#owned.values()].filter((one) => !one.isLeaving);
    for (const one of staying.slice(staying.length - surplus)) one.isLeaving = true;
  }

  /** Those to fetch from now, in turn. */
  fetchable(nowMs: number): readonly OwnedPartition[] {
    const all = [...this.#owned.values()].filter((one) => one.mayFetch(this.options, nowMs));
    if (all.length === 0) return all;
    const from = this.#turn++ % all.length;
    return [...all.slice(from), ...all.slice(0, from)];
  }

  get isAsleep(): boolean {
    for (const one of this.#owned.values()) if (!one.isAsleep) return false;
    return true;
  }

  /** Takes the wake locks that no writer holds. True if all are held. */
  async sleep(): Promise<boolean> {
    const awake = [...this.#owned.values()].filter((one) => !one.isAsleep);
    const numbers = awake.map(({ number }) => number);
    for (const row of await this.session.query(this.sql.sleep, [numbers, this.key], 'sleep')) {
      const one = this.#owned.get(Number(row['p']));
      if (one !== undefined) one.isAsleep = true;
    }
    return this.isAsleep;
  }

  async wake(): Promise<void> {
    const asleep = [...this.#owned.values()].filter((one) => one.isAsleep);
    if (asleep.length === 0) return;
    for (const one of asleep) one.isAsleep = false;
    await this.session.query(this.sql.wake, [asleep.map(({ number }) => number), this.key], 'wake');
  }

  async #release(idle: readonly OwnedPartition[]): Promise<void> {
    const asleep = idle.filter((one) => one.isAsleep).map(({ number }) => number);
    if (asleep.length > 0) await this.session.query(this.sql.wake, [asleep, this.key], 'wake');
    for (const { number } of idle) this.#owned.delete(number);
    await this.session.query(this.sql.release, [idle.map(({ number }) => number), this.key], 'release');
  }

  get #share(): number {
    return Math.ceil(this.count / this.#members);
  }
}
