import { decodeWriter, encode, WRITER, type WriterBody } from '@carillon/contracts';
import type { LaneBroker } from '@carillon/broker';
import type { DurableStore } from '@carillon/history-store';
import type { Clock } from '../clock.js';
import { CommitLoop } from '../lane/commit-loop.js';
import { Lane } from '../lane/lane.js';
import type { LaneOptions, LaneParts } from '../lane/parts.js';
import type { LoopOptions, LoopParts } from '../lane/loop-parts.js';
import { LocalReads } from '../reads/local-reads.js';
import { ReadDesk } from '../reads/read-desk.js';
import { CommitDesk } from './commit-desk.js';
import type { WriterEvents } from './events.js';
import { Peers } from './peers.js';
import { serverOf } from './rendezvous.js';
import { ServedPartition } from './served-partition.js';
import { Verification } from './verification.js';

const ANNOUNCE_EVERY_MS = 500;
/** Time that a new writer listens before it takes lanes. */
const LISTEN_MS = 1000;
/** Time without other writers before the number of lanes is changed. */
const ALONE_MS = 5000;
const HEARD_EVERY_MS = 100;
/** Time that a leaving writer waits for others to take its lanes. */
const LEAVE_WITHIN_MS = 2000;
/** Size limit of an announcement. */
const MAX_ANNOUNCEMENT_BYTES = 64 * 1024;

export interface WriterParts {
  readonly broker: LaneBroker;
  readonly store: DurableStore;
  readonly clock: Clock;
  /** Further dependencies of its lanes. */
  readonly lane: Pick<LoopParts, 'events' | 'newStreamId'>;
  readonly events: WriterEvents;
}

export type WriterOptions = Omit<LaneOptions, 'lane'> & LoopOptions;

/** The stored number of lanes is another one, and others use it. */
export class LanesDiffer extends Error {
  override readonly name = 'LanesDiffer';
}

/**
 * One of several history writers. The live writers determine which lanes it serves; a lane is taken before it is
 * released, so that a planned move has no gap, and records that a dead writer did not fan out are sent again. Two
 * writers on one lane are slower but correct. Degraded streams of its lanes are verified every minute.
 */
export class Writer {
  readonly #peers = new Peers();
  readonly #stations = new Map<number, ServedPartition>();
  /** Lanes that were given up and have something left to do. */
  readonly #finishing = new Set<Promise<void>>();
  readonly #loop: CommitLoop;
  readonly #commits: CommitDesk;
  readonly #reads: ReadDesk;
  readonly #verification: Verification;
  readonly #hear = (bytes: Uint8Array): void => this.#heard(bytes);
  #phase: 'listening' | 'live' | 'leaving' | 'gone' = 'listening';
  /** Another writer was heard, even if it is gone since. */
  #isAlone = true;
  #stopTicking: () => void = () => {};
  #emptied: () => void = () => {};
  #left: Promise<void> | null = null;

  constructor(
    private readonly parts: WriterParts,
    private readonly options: WriterOptions,
  ) {
    const { events, broker, store } = parts;
    const { lanes } = options;
    const { maxBytes } = broker;
    this.#loop = new CommitLoop({ ...parts.lane, store, clock: parts.clock }, options);
    this.#commits = new CommitDesk({ lanes, maxBytes, events, announcement: () => this.#announcement });
    this.#reads = new ReadDesk({
      lanes,
      maxBytes,
      events,
      clock: parts.clock,
      reads: new LocalReads(store, () => parts.clock.now()),
    });
    this.#verification = new Verification(
      {
        store,
        clock: parts.clock,
        laneHere: (number) => this.laneHere(number),
        failed: (error) => events.failed('verify', error),
      },
      options,
    );
  }

  /** Null while it takes part, else why it does not. */
  get problem(): string | null {
    return this.#phase === 'live' ? null : `the writer is ${this.#phase}`;
  }

  /** Lanes served right now, ascending. */
  get serving(): readonly number[] {
    const served = [...this.#stations.values()].filter(({ state }) => state === 'served');
    return served.map(({ number }) => number).sort((one, other) => one - other);
  }

  /** Returns the number of waiting records by lane. */
  get depths(): ReadonlyMap<number, number> {
    return new Map([...this.#stations.values()].map(({ number, lane }) => [number, lane.queued]));
  }

  /** The lane, if it is served here: a publisher of this process needs no broker to reach it. */
  laneHere(number: number): Lane | null {
    const station = this.#stations.get(number);
    return station?.state === 'served' ? station.lane : null;
  }

  /**
   * Listens, then takes part. Rejects with `LanesDiffer`, or when the store or the broker cannot be reached: it may be
   * called again then.
   */
  async start(): Promise<void> {
    const { broker, clock } = this.parts;
    const begunMs = clock.elapsed();
    await broker.hear(this.#hear);
    await this.#pause(LISTEN_MS);
    await this.#agree(begunMs);
    if (this.#phase !== 'listening') return;
    this.#phase = 'live';
    this.#verification.begin();
    this.#tick();
  }

  /** Leaves: its lanes move immediately, and accepted records are finished. Idempotent. */
  leave(): Promise<void> {
    this.#left ??= this.#leave();
    return this.#left;
  }

  async #agree(begunMs: number): Promise<void> {
    const { store, clock } = this.parts;
    const { lanes } = this.options;
    const stored = await store.agreeOnLanes(lanes, false);
    if (stored === lanes) return;
    // A writer heard earlier decides: waiting longer, while others may start, changes nothing.
    while (this.#isAlone && clock.elapsed() - begunMs < ALONE_MS)
      await this.#pause(Math.min(HEARD_EVERY_MS, ALONE_MS - (clock.elapsed() - begunMs)));
    if (!this.#isAlone) throw new LanesDiffer(`history.writer_shards: is ${lanes}, others use ${stored}`);
    await store.agreeOnLanes(lanes, true);
  }

  async #leave(): Promise<void> {
    const wasLive = this.#phase === 'live';
    this.#phase = 'leaving';
    this.#verification.stop();
    if (wasLive) {
      this.#announce();
      this.#reconcile();
      const emptied = new Promise<void>((resolve) => (this.#emptied = resolve));
      if (this.#stations.size > 0) await Promise.race([emptied, this.#pause(LEAVE_WITHIN_MS)]);
      await Promise.all([...this.#stations.values()].map((station) => this.#release(station)));
      await Promise.all(this.#finishing);
      this.#announce();
    }
    this.#phase = 'gone';
    this.#stopTicking();
  }

  #tick(): void {
    const dead = this.#peers.bury(this.parts.clock.elapsed());
    for (const { writerId, isLive, serving, everServed } of dead) {
      // A leaving writer is silent, and may have ended before everything it accepted was fanned out.
      if (isLive || serving.size > 0) this.parts.events.buried(writerId);
      for (const number of everServed) {
        const station = this.#stations.get(number);
        if (station?.state === 'served') void station.lane.resendTail();
      }
    }
    this.#announce();
    this.#reconcile();
    this.#stopTicking = this.parts.clock.after(ANNOUNCE_EVERY_MS, () => this.#tick());
  }

  #heard(bytes: Uint8Array): void {
    const decoded = decodeWriter(bytes, MAX_ANNOUNCEMENT_BYTES);
    if (!decoded.ok) {
      this.parts.events.dropped(decoded.detail);
      return;
    }
    const { message } = decoded;
    const { writer_id: writerId, lanes } = message;
    if (writerId === this.options.writerId) return;
    this.#isAlone = false;
    if (lanes !== this.options.lanes) this.parts.events.mismatched({ nodeId: writerId, lanes });
    else if (this.#peers.heard(message, this.parts.clock.elapsed())) this.#reconcile();
  }

  /** Takes and releases lanes to match the assignment. */
  #reconcile(): void {
    if (this.#phase !== 'live' && this.#phase !== 'leaving') return;
    const own = this.#phase === 'live' ? [this.options.writerId] : [];
    const writerIds = [...own, ...this.#peers.liveIds];
    for (let number = 0; number < this.options.lanes; number += 1) {
      const server = serverOf(number, writerIds);
      const station = this.#stations.get(number);
      if (station === undefined) {
        if (server === this.options.writerId) void this.#take(number);
      } else if (station.state === 'served' && this.#isToGo(server, number)) void this.#release(station);
    }
  }

  /** A lane is released once another writer has it, or if there is none to wait for. */
  #isToGo(server: string | null, number: number): boolean {
    if (server === this.options.writerId) return false;
    return server === null || this.#peers.serves(server, number);
  }

  async #take(number: number): Promise<void> {
    const { broker, store, clock, events } = this.parts;
    const fanOut: LaneParts['fanOut'] = async (records) => {
      await Promise.all(records.map((record) => broker.handOver(record)));
    };
    const lane = new Lane(
      { events: this.parts.lane.events, store, loop: this.#loop, clock, fanOut },
      { ...this.options, lane: number },
    );
    const station = new ServedPartition(number, lane, broker, {
      commit: (text) => this.#commits.answer(number, lane, text),
      read: (text) => this.#reads.answer(number, text),
    });
    this.#stations.set(number, station);
    try {
      await station.take();
    } catch (error) {
      events.failed('take', error);
      // The next tick tries again.
      this.#ended(station);
      return;
    }
    events.taken(number);
    this.#announce();
    void lane.resendTail();
    this.#reconcile();
  }

  async #release(station: ServedPartition): Promise<void> {
    if (station.state === 'releasing') return;
    const wasServed = station.state === 'served';
    await station.release();
    if (wasServed) {
      this.parts.events.released(station.number);
      this.#ended(station);
    }
    this.#announce();
    this.#reconcile();
  }

  /** Removes it from the list immediately, so that the lane can be served again while the rest is finished. */
  #ended(station: ServedPartition): void {
    if (this.#stations.get(station.number) === station) this.#stations.delete(station.number);
    const finished = station.lane.close().finally(() => this.#finishing.delete(finished));
    this.#finishing.add(finished);
    if (this.#stations.size === 0) this.#emptied();
  }

  get #announcement(): WriterBody {
    const { writerId, lanes } = this.options;
    const state = this.#phase === 'live' ? 'live' : 'leaving';
    return { writer_id: writerId, lanes, serving: [...this.serving], state };
  }

  #announce(): void {
    const { broker, events } = this.parts;
    const encoded = encode(WRITER, this.#announcement, MAX_ANNOUNCEMENT_BYTES);
    if (encoded.ok) broker.announce(encoded.text).catch((error: unknown) => events.failed('announce', error));
  }

  #pause(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((done) => void this.parts.clock.after(ms, done));
  }
}
