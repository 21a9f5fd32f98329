import type { Admin } from 'kafkajs';
import { OffsetLedger } from '../../broker/offset-ledger.js';

/** One assigned partition. */
export interface PartitionState {
  readonly topic: string;
  readonly partition: number;
  readonly ledger: OffsetLedger;
  /** Changed since the last commit. */
  isDirty: boolean;
  /** Assigned to another member since. */
  isRevoked: boolean;
  /** Records below it were deleted. */
  deletedBelow: number;
}

/** Settled records of a partition that are kept until the next deletion. */
const MAX_SETTLED_RECORDS = 10_000;

const keyOf = (topic: string, partition: number): string => `${topic}/${partition}`;

/** The partitions assigned to one consumer, with their delivery states restored from the group's commits. */
export class PartitionStates {
  readonly #states = new Map<string, Promise<PartitionState>>();
  /** Assigned partitions with a known position. */
  readonly #ready = new Map<string, PartitionState>();

  constructor(
    private readonly admin: Admin,
    private readonly groupId: string,
    private readonly topics: readonly string[],
  ) {}

  /** @param isContinued False: states of before are stale, because other members had the partitions meanwhile. */
  assign(assignment: Readonly<Record<string, readonly number[]>>, isContinued: boolean): void {
    const assigned = new Set(
      Object.entries(assignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => keyOf(topic, partition)),
      ),
    );
    for (const key of this.#states.keys()) if (!isContinued || !assigned.has(key)) this.#revoke(key);
    const missing = [...assigned].filter((key) => !this.#states.has(key));
    if (missing.length === 0) return;
    const committed = this.#committed();
    for (const key of missing) {
      const state = committed.then((states) => this.#restored(key, states.get(key)));
      // Received batches of the partition reject with it, until the client library ends the consumer.
      state.catch(() => undefined);
      this.#states.set(key, state);
    }
  }

  /** Null: the partition is no longer assigned. */
  async of(topic: string, partition: number): Promise<PartitionState | null> {
    return (await this.#states.get(keyOf(topic, partition))) ?? null;
  }

  /** Partitions that changed since the last call. */
  takeDirty(): readonly PartitionState[] {
    const dirty = [...this.#ready.values()].filter(({ isDirty }) => isDirty);
    for (const state of dirty) state.isDirty = false;
    return dirty;
  }

  /** Deletes records below the committed offsets where at least `least` of them accumulated. */
  async deleteSettled(least = MAX_SETTLED_RECORDS): Promise<void> {
    for (const topic of this.topics) {
      const partitions = [...this.#ready.values()].flatMap((state) => {
        const { offset } = state.ledger.position();
        if (state.topic !== topic || offset - state.deletedBelow < least) return [];
        state.deletedBelow = offset;
        return [{ partition: state.partition, offset: String(offset) }];
      });
      if (partitions.length > 0) await this.admin.deleteTopicRecords({ topic, partitions });
    }
  }

  #revoke(key: string): void {
    const state = this.#ready.get(key);
    if (state !== undefined) state.isRevoked = true;
    this.#ready.delete(key);
    this.#states.delete(key);
  }

  #restored(key: string, state: PartitionState | undefined): PartitionState {
    if (state === undefined) throw new Error(`no committed position of ${key}`);
    if (this.#states.has(key)) this.#ready.set(key, state);
    return state;
  }

  async #committed(): Promise<ReadonlyMap<string, PartitionState>> {
    const [commits, starts] = await Promise.all([
      this.admin.fetchOffsets({ groupId: this.groupId, topics: [...this.topics] }),
      Promise.all(this.topics.map((topic) => this.admin.fetchTopicOffsets(topic))),
    ]);
    const states = new Map<string, PartitionState>();
    this.topics.forEach((topic, index) => {
      for (const { partition, low } of starts[index] ?? []) {
        const own = commits
          .find((one) => one.topic === topic)
          ?.partitions.find((one) => one.partition === partition);
        const first = Number(low);
        const committed = Number(own?.offset ?? -1);
        const offset = Math.max(first, committed);
        const metadata = committed >= first ? (own?.metadata ?? '') : '';
        const ledger = OffsetLedger.restore({ offset, metadata });
        states.set(keyOf(topic, partition), {
          topic,
          partition,
          ledger,
          isDirty: false,
          isRevoked: false,
          deletedBelow: first,
        });
      }
    });
    return states;
  }
}
