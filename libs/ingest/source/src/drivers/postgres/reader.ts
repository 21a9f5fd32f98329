import type { IngestEvent } from '../../event.js';
import type { Outcome } from '../../outcome.js';
import type { EventSink } from '../../port.js';
import type { Row } from './client.js';
import { Ends } from './ends.js';
import type { PostgresMessageMap } from './message-map.js';
import type { PostgresSourceOptions } from './options.js';
import type { OwnedPartition } from './partition.js';
import { Partitions } from './partitions.js';
import { eventOf } from './rows.js';
import type { Session } from './session.js';
import type { Statements } from './statements.js';
import { Upkeep } from './upkeep.js';
import { Wait } from './wait.js';

const BEAT_MS = 1000;
/** Silence after which the reader lets writers notify instead of polling. */
const DROWSY_MS = 100;
/** Share of `max_in_flight` that must be free before events are fetched. */
const LEAST_ROOM = 0.25;

export interface ReaderParts {
  readonly session: Session;
  readonly sql: Statements;
  readonly sink: EventSink;
  readonly messages: PostgresMessageMap;
  readonly options: PostgresSourceOptions;
  readonly key: number;
  readonly partitions: number;
}

/** Reads the owned partitions over one session: claims, fetches, delivers, stores ends, sleeps. One loop, one query at a time. */
export class Reader {
  readonly partitions: Partitions;
  readonly upkeep: Upkeep;
  readonly #ends: Ends;
  readonly #wait = new Wait();
  #open = 0;
  #openBytes = 0;
  #beatAtMs = 0;
  #eventAtMs = 0;
  #isNotified = false;
  #isStopping = false;

  constructor(private readonly parts: ReaderParts) {
    const { session, sql, key, options, messages } = parts;
    this.partitions = new Partitions(session, sql, key, parts.partitions, options);
    this.upkeep = new Upkeep(session, sql, key, options);
    this.#ends = new Ends(session, sql, messages);
  }

  /** Runs until the session ends (rejects) or `stop` was called and nothing is in flight (resolves). */
  async run(): Promise<void> {
    const { session, sql, key } = this.parts;
    await session.query(sql.join, [key]);
    session.onNotification(() => {
      this.#isNotified = true;
      this.#wait.end();
    });
    session.signal.addEventListener('abort', () => this.#wait.end(), { once: true });
    await session.query(sql.listen);
    while (!(this.#isStopping && this.#open === 0)) await this.#turn();
    await this.#ends.store(this.partitions.all);
  }

  /** Stops fetching. */
  stop(): void {
    this.#isStopping = true;
    this.#wait.end();
  }

  async #turn(): Promise<void> {
    const nowMs = performance.now();
    await this.#ends.store(this.partitions.all);
    const isBeat = nowMs - this.#beatAtMs >= BEAT_MS;
    const isWoken = this.#isNotified;
    this.#isNotified = false;
    const fetched = isBeat || isWoken || !this.partitions.isAsleep ? await this.#fetch(nowMs, isBeat) : 0;
    if (fetched > 0 || isWoken) this.#eventAtMs = performance.now();
    if (fetched > 0 || isWoken) await this.partitions.wake();
    if (isBeat) await this.partitions.balance(nowMs);
    if (isBeat) await this.upkeep.run(nowMs, this.partitions.all);
    if (fetched === 0) await this.#rest();
  }

  /** Waits for the next poll; asleep, for a notification, an end of an event or the next beat. */
  async #rest(): Promise<void> {
    const { options } = this.parts;
    const nowMs = performance.now();
    const untilBeatMs = Math.max(1, this.#beatAtMs + BEAT_MS - nowMs);
    if (this.partitions.isAsleep || this.#isStopping) return this.#wait.start(untilBeatMs);
    if (nowMs - this.#eventAtMs < DROWSY_MS || this.#open > 0) return this.#wait.start(options.busyPollMs);
    await this.partitions.sleep();
    // Commits before the locks are found by this fetch; later ones notify.
    const missed = await this.#fetch(nowMs, false);
    if (missed > 0) await this.partitions.wake();
    // A writer holds a wake lock until it has committed: poll until then.
    this.#eventAtMs = performance.now();
  }

  /** Fetches and delivers; returns the number of events. */
  async #fetch(nowMs: number, isBeat: boolean): Promise<number> {
    const { session, sql, sink, options, key } = this.parts;
    const room = options.maxInFlight - this.#open;
    const roomBytes = options.maxInFlightBytes - this.#openBytes;
    // A nearly full window would be refilled one event a query.
    const hasRoom = room >= options.maxInFlight * LEAST_ROOM && roomBytes > 0 && !this.#isStopping;
    const from = hasRoom ? this.partitions.fetchable(nowMs) : [];
    if (!isBeat && from.length === 0) return 0;
    const values = [
      from.map(({ number }) => number),
      from.map(({ fetched }) => fetched.seq),
      from.map(({ fetched }) => fetched.n),
      options.batchSize,
      Math.max(0, room),
      Math.max(0, roomBytes),
    ];
    sink.counted();
    if (!isBeat) return this.#deliver(await session.query(sql.fetch, values, 'fetch'));
    this.#beatAtMs = nowMs;
    const { free, most } = this.#isStopping ? { free: [], most: 0 } : this.partitions.claims();
    const rows = await session.query(sql.beat, [...values, key, free, most], 'beat');
    const [first] = rows;
    const count = this.#deliver(rows.filter((row) => row['partition'] !== null));
    const claimed = (first?.['claimed'] ?? []) as readonly number[];
    await this.partitions.joined(Number(first?.['members'] ?? 1), claimed);
    // The cursors of new partitions are known now.
    return claimed.length > 0 ? count + (await this.#fetch(nowMs, false)) : count;
  }

  #deliver(rows: readonly Row[]): number {
    const nowMs = performance.now();
    for (const row of rows) {
      const partition = this.partitions.get(Number(row['partition']));
      if (partition !== undefined) this.#deliverOne(partition, row, nowMs);
    }
    return rows.length;
  }

  #deliverOne(partition: OwnedPartition, row: Row, nowMs: number): void {
    const { sink, session } = this.parts;
    const event = eventOf(row);
    partition.fetched = { seq: String(row['seq']), n: String(row['n']) };
    const end = partition.ledger.add(partition.fetched, event, nowMs);
    this.#open += 1;
    this.#openBytes += event.bytes;
    void this.#untilEnded(event, sink.deliver(event, session), end);
  }

  /** Never rejects. */
  async #untilEnded(event: IngestEvent, delivering: Promise<Outcome>, end: () => void): Promise<void> {
    const outcome = await delivering;
    this.#open -= 1;
    this.#openBytes -= event.bytes;
    if (outcome.kind === 'dead') this.#ends.addDead(event, outcome);
    if (outcome.kind !== 'abandoned') end();
    if (this.#open === 0 || this.partitions.isAsleep || this.#isStopping) this.#wait.end();
  }
}
