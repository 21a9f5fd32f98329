import type { Admin, Consumer, EachBatchPayload } from 'kafkajs';
import { sorted } from '../../broker/delivered.js';
import { QueueUnavailable } from '../../failures.js';
import type { KafkaQueueNames } from './names.js';
import { PartitionStates } from './partition-states.js';
import { RecordBuffer, type ReceivedRecord } from './record-buffer.js';
import type { MemberReport } from './sticky-assigner.js';

export interface QueueConsumerOptions {
  readonly consumer: Consumer;
  readonly admin: Admin;
  readonly names: KafkaQueueNames;
  readonly maxAttempts: number;
  /** Called when there may be something to take. */
  readonly onReceived: () => void;
  /** Called once when the consumer cannot continue. */
  readonly onLost: (reason: string) => void;
}

/** Fill of the buffer at which a paused topic is resumed; at 1 it is paused. */
const RESUME_FILL = 0.5;

/**
 * One process's member of the consumer group of a queue. Buffers records, keeps those whose time has not come, and
 * commits the low-water mark of settled offsets with the state of records above it.
 */
export class QueueConsumer {
  readonly #states: PartitionStates;
  readonly #buffer = new RecordBuffer();
  readonly #running = new Set<ReceivedRecord>();
  readonly #paused = new Set<string>();
  #memberId = '';
  #lastSeenMs = 0;
  #isDraining = false;
  #isOver = false;
  #committing: Promise<void> = Promise.resolve();
  #nextCommit: Promise<void> | null = null;

  constructor(private readonly options: QueueConsumerOptions) {
    const { admin, names } = options;
    this.#states = new PartitionStates(admin, names.group, [names.topic, names.retry]);
  }

  /** Joins the group. Rejects when it cannot. */
  async start(): Promise<void> {
    const { consumer, names, onLost } = this.options;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      this.#joined(payload.memberId, payload.memberAssignment);
    });
    consumer.on(consumer.events.HEARTBEAT, () => (this.#lastSeenMs = performance.now()));
    let failure: string | null = null;
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      failure = payload.error.message;
      this.end();
      onLost(`consumer of queue topic ${names.topic}: ${failure}`);
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [names.topic, names.retry], fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatch: (payload) => this.#receive(payload) });
    if (failure !== null) throw new QueueUnavailable(failure);
  }

  /** Returns the report that the group leader uses at the next rebalance. */
  report(): MemberReport {
    const busy = new Map(
      [...this.#running].map(({ state }) => [`${state.topic}/${state.partition}`, state] as const),
    );
    return {
      isDraining: this.#isDraining,
      busy: [...busy.values()].map(({ topic, partition }) => ({ topic, partition })),
    };
  }

  /** Time since the group coordinator last confirmed the membership. */
  get silentMs(): number {
    return performance.now() - this.#lastSeenMs;
  }

  get hasSome(): boolean {
    return this.#buffer.hasSome;
  }

  /** Time until the next waiting record is due. Null: none waits. */
  get nextDueMs(): number | null {
    return this.#buffer.nextDueMs;
  }

  /** At most `limit` records, due ones first. Each has to be settled, handed out or put back. */
  take(limit: number): readonly ReceivedRecord[] {
    const taken = this.#buffer.take(limit);
    for (const record of taken) this.#running.add(record);
    this.#control();
    return taken;
  }

  /** Returns taken records to the front. */
  putBack(records: readonly ReceivedRecord[]): void {
    const kept = records.filter((record) => this.#running.delete(record) && this.owns(record));
    this.#buffer.putBack(kept);
  }

  /** False: another member of the group has the partition, or soon will. */
  owns({ state }: ReceivedRecord): boolean {
    return !this.#isOver && !state.isRevoked;
  }

  handOut({ state, offset }: ReceivedRecord): void {
    state.ledger.handOut(offset);
    state.isDirty = true;
  }

  settle(record: ReceivedRecord): void {
    this.#running.delete(record);
    if (!this.owns(record)) return;
    record.state.ledger.settle(record.offset);
    record.state.isDirty = true;
  }

  /** Forgets a record that was handed out; the next owner of its partition counts the delivery. */
  abandon(record: ReceivedRecord): void {
    this.#running.delete(record);
  }

  /** Leaves the group once a drained consumer has no running jobs, so that other processes get its partitions. */
  async stopIfDrained(): Promise<void> {
    if (this.#isDraining && this.#running.size === 0) await this.stop();
  }

  /** Resolves when all changes before the call are committed. Calls during a commit share the next one. */
  commit(): Promise<void> {
    this.#nextCommit ??= this.#committing
      .catch(() => undefined)
      .then(() => {
        this.#nextCommit = null;
        this.#committing = this.#flush();
        return this.#committing;
      });
    return this.#nextCommit;
  }

  /** Drops buffered records and takes no others. Running ones can still be settled. */
  drain(): void {
    this.#isDraining = true;
    this.#buffer.clear();
    const { consumer, names } = this.options;
    if (!this.#isOver) consumer.pause([{ topic: names.topic }, { topic: names.retry }]);
  }

  /** Commits, deletes settled records and leaves the group. */
  async stop(): Promise<void> {
    if (this.#isOver) return;
    await this.commit().catch(() => undefined);
    await this.#states.deleteSettled(1).catch(() => undefined);
    this.end();
    await this.disconnect();
  }

  /** Leaves the group if the coordinator can be reached. Never rejects. */
  async disconnect(): Promise<void> {
    await this.options.consumer.disconnect().catch(() => undefined);
  }

  /** Without the broker: every record is lost to this process. */
  end(): void {
    this.#isOver = true;
    this.#buffer.clear();
    this.#running.clear();
  }

  /** A partition of the queue's topic whose jobs are not running here, out of `count`. */
  idlePartition(count: number): number | undefined {
    const { topic } = this.options.names;
    const busy = new Set(
      this.report()
        .busy.filter((one) => one.topic === topic)
        .map((one) => one.partition),
    );
    const idle = Array.from({ length: count }, (_, partition) => partition).filter((one) => !busy.has(one));
    return idle[Math.floor(Math.random() * idle.length)];
  }

  #joined(memberId: string, assignment: Readonly<Record<string, readonly number[]>>): void {
    this.#lastSeenMs = performance.now();
    // A new member id: the group went on without this process, and its partitions had other owners since.
    const isContinued = memberId === this.#memberId;
    this.#memberId = memberId;
    this.#states.assign(assignment, isContinued);
    this.#buffer.keep((record) => this.owns(record));
    this.#control();
  }

  async #receive({ batch: { topic, partition, messages } }: EachBatchPayload): Promise<void> {
    const state = await this.#states.of(topic, partition);
    if (state === null || this.#isDraining || this.#isOver) return;
    for (const { offset, value, timestamp } of messages) {
      const place = Number(offset);
      const receipt = state.ledger.receive(place);
      if (receipt === 'known') continue;
      const isRedelivered = receipt === 'redelivered';
      const text = value?.toString('utf8') ?? '';
      this.#keep({ state, offset: place, text, count: 1, isRedelivered, writtenAtMs: Number(timestamp) });
    }
    state.isDirty = true;
    this.#control();
    this.options.onReceived();
  }

  /** Sorts a record by its time. A redelivered one was due before. */
  #keep(record: ReceivedRecord): void {
    const { text, writtenAtMs, isRedelivered } = record;
    const found = sorted({ token: '', text, count: 1, writtenAtMs }, this.options.maxAttempts);
    if (found.kind === 'early' && !isRedelivered) {
      this.#buffer.addWaiting({ ...record, count: 2 }, Date.now() + found.waitMs);
    } else {
      const hasWaited = found.kind === 'early';
      this.#buffer.addReady({ ...record, count: 1 + (isRedelivered ? 1 : 0) + (hasWaited ? 1 : 0) });
    }
  }

  /** Pauses topics while the buffer is full for them. Retries share the room of ready records. */
  #control(): void {
    if (this.#isOver || this.#isDraining) return;
    const { names } = this.options;
    this.#controlTopic(names.topic, this.#buffer.readyFill);
    this.#controlTopic(names.retry, this.#buffer.fill);
  }

  #controlTopic(topic: string, fill: number): void {
    const { consumer } = this.options;
    if (fill >= 1 && !this.#paused.has(topic)) {
      this.#paused.add(topic);
      consumer.pause([{ topic }]);
    } else if (fill <= RESUME_FILL && this.#paused.delete(topic)) {
      consumer.resume([{ topic }]);
    }
  }

  async #flush(): Promise<void> {
    if (this.#isOver) throw new QueueUnavailable('the consumer group membership ended');
    const dirty = this.#states.takeDirty();
    if (dirty.length === 0) return;
    const positions = dirty.map(({ topic, partition, ledger }) => {
      const { offset, metadata } = ledger.position();
      return { topic, partition, offset: String(offset), metadata };
    });
    try {
      await this.options.consumer.commitOffsets(positions);
    } catch (error) {
      for (const state of dirty) state.isDirty = true;
      throw new QueueUnavailable(error instanceof Error ? error.message : 'offsets were not committed');
    }
    await this.#states.deleteSettled().catch(() => undefined);
  }
}
