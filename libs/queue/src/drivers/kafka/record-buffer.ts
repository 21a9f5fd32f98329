import { DueHeap, type Due } from '../memory/due-heap.js';
import type { PartitionState } from './partition-states.js';

/** A record that was received and not handed out yet, or is being worked on. */
export interface ReceivedRecord {
  readonly state: PartitionState;
  readonly offset: number;
  readonly text: string;
  /** Deliveries so far, this one included; 2 and more: a copy that has waited, or a redelivery. */
  readonly count: number;
  readonly isRedelivered: boolean;
  readonly writtenAtMs: number;
}

interface WaitingRecord extends Due {
  readonly record: ReceivedRecord;
}

/** Limits of the buffer. */
const MAX_READY = 1000;
const MAX_WAITING = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Received records of one queue: those that are ready in order of arrival, and those that wait for their time. */
export class RecordBuffer {
  #ready: ReceivedRecord[] = [];
  #waiting = new DueHeap<WaitingRecord>();
  #sequence = 0;
  #readyBytes = 0;
  #waitingBytes = 0;

  get hasSome(): boolean {
    return this.#ready.length > 0 || (this.#waiting.first?.dueMs ?? Infinity) <= Date.now();
  }

  /** Time until the next waiting record is due. Null: none waits. */
  get nextDueMs(): number | null {
    const { first } = this.#waiting;
    return first === undefined ? null : Math.max(0, first.dueMs - Date.now());
  }

  /** Share of the limits that ready records use; 1 and more: the buffer is full. */
  get readyFill(): number {
    return Math.max(this.#ready.length / MAX_READY, this.#readyBytes / MAX_BYTES);
  }

  /** Like `readyFill`, waiting records included. */
  get fill(): number {
    const bytes = this.#readyBytes + this.#waitingBytes;
    return Math.max(this.#waiting.size / MAX_WAITING, this.#ready.length / MAX_READY, bytes / MAX_BYTES);
  }

  addReady(record: ReceivedRecord): void {
    this.#ready.push(record);
    this.#readyBytes += record.text.length;
  }

  addWaiting(record: ReceivedRecord, dueMs: number): void {
    this.#sequence += 1;
    this.#waiting.add({ record, dueMs, sequence: this.#sequence });
    this.#waitingBytes += record.text.length;
  }

  /** Puts records in front of all ready ones. */
  putBack(records: readonly ReceivedRecord[]): void {
    for (const { text } of records) this.#readyBytes += text.length;
    this.#ready.unshift(...records);
  }

  /** Removes and returns at most `limit` records, due ones first. */
  take(limit: number): readonly ReceivedRecord[] {
    const taken: ReceivedRecord[] = [];
    const nowMs = Date.now();
    while (taken.length < limit) {
      const due = this.#waiting.takeDue(nowMs);
      if (due === undefined) break;
      this.#waitingBytes -= due.record.text.length;
      taken.push(due.record);
    }
    const ready = this.#ready.splice(0, limit - taken.length);
    for (const { text } of ready) this.#readyBytes -= text.length;
    return [...taken, ...ready];
  }

  /** Removes all records that do not meet the condition. */
  keep(isKept: (record: ReceivedRecord) => boolean): void {
    const [ready, waiting] = [this.#ready, this.#waiting];
    this.clear();
    for (const record of ready) if (isKept(record)) this.addReady(record);
    for (let next = waiting.takeDue(Infinity); next !== undefined; next = waiting.takeDue(Infinity)) {
      if (isKept(next.record)) this.addWaiting(next.record, next.dueMs);
    }
  }

  clear(): void {
    this.#ready = [];
    this.#waiting = new DueHeap();
    this.#readyBytes = 0;
    this.#waitingBytes = 0;
  }
}
