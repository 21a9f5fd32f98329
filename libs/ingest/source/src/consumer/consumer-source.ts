import { pause } from '@carillon/runtime';
import type { IngestEvent } from '../event.js';
import type { Outcome } from '../outcome.js';
import type { EventSink, IngestSource, Lease, SourceStatus } from '../port.js';
import { BadMessage } from './bad-message.js';
import type { Decoder } from './decoder.js';
import { deadLetterOf, type ReceivedMessage } from './message.js';
import type { ProcessLease } from './process-lease.js';
import type { ConsumerDriver, ConsumerSession } from './session.js';

export interface ConsumerOptions {
  readonly name: string;
  readonly batchSize: number;
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
  /** Whether a message that cannot be published is dropped instead of stored. */
  readonly drops: boolean;
}

export interface ConsumerParts {
  readonly driver: ConsumerDriver;
  readonly decoder: Decoder;
  /** Null: any number of processes consume. */
  readonly lease: ProcessLease | null;
  readonly log: { warn(message: string, fields: Readonly<Record<string, unknown>>): void };
}

const PAUSES_MS = [200, 400, 800, 1600, 3200, 5000];
const RENEW_MS = 1000;
const KEEP_EVERY = 5;
const DEAD_LETTER_PAUSE_MS = 500;

/** Consumes a stream: decodes, delivers, acknowledges what has ended. */
export class ConsumerSource implements IngestSource {
  readonly name: string;
  readonly #stopping = new AbortController();
  readonly #open = new Map<ReceivedMessage, Promise<void>>();
  #openBytes = 0;
  #session: ConsumerSession | null = null;
  #problem: string | null = 'not connected yet';
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: ConsumerOptions,
    private readonly parts: ConsumerParts,
  ) {
    this.name = options.name;
  }

  start(sink: EventSink): void {
    this.#running = this.#run(sink);
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort();
    const close = (): void => void this.#session?.close();
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    await this.#running;
  }

  status(): SourceStatus {
    const oldest = [...this.#open.keys()].map(({ atMs }) => atMs);
    return {
      problem: this.#problem,
      partitionsOwned: this.#session === null ? 0 : 1,
      lagRows: this.#open.size,
      lagSeconds: oldest.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...oldest)) / 1000,
      deadLetters: null,
    };
  }

  /** Never rejects. */
  async #run(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      if (!(await this.#mayConsume())) {
        this.#problem = null;
        await pause(RENEW_MS, signal);
        continue;
      }
      failures = (await this.#consume(sink)) ? 0 : failures + 1;
      if (!signal.aborted) await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0, signal);
    }
    await this.parts.lease?.release();
  }

  async #mayConsume(): Promise<boolean> {
    const { lease } = this.parts;
    return lease === null || lease.take();
  }

  /** Consumes over one session until it ends. Returns whether there was one. */
  async #consume(sink: EventSink): Promise<boolean> {
    let session: ConsumerSession | null = null;
    let keeping: NodeJS.Timeout | null = null;
    try {
      session = await this.parts.driver.open();
      this.#session = session;
      this.#problem = null;
      keeping = this.#keep(session);
      await this.#fetchAll(session, sink);
      await Promise.all(this.#open.values());
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem && !this.#stopping.signal.aborted)
        this.parts.log.warn('ingest source is unavailable', {
          source: this.name,
          error: problem,
          retryable: true,
        });
      this.#problem = problem;
    }
    if (keeping !== null) clearInterval(keeping);
    this.#session = null;
    await session?.close().catch(() => {});
    // Deliveries of this session end as abandoned; the next session must not run beside them.
    await Promise.all(this.#open.values());
    return session !== null;
  }

  /** Renews the lease every second and the deliveries in flight every five. */
  #keep(session: ConsumerSession): NodeJS.Timeout {
    let beats = 0;
    return setInterval(() => {
      beats += 1;
      void this.#checkLease(session);
      if (beats % KEEP_EVERY === 0) void session.renew().catch(() => {});
    }, RENEW_MS);
  }

  async #fetchAll(session: ConsumerSession, sink: EventSink): Promise<void> {
    const { signal } = this.#stopping;
    const { batchSize, maxInFlight, maxInFlightBytes } = this.options;
    while (!signal.aborted) {
      if (session.signal.aborted) throw session.signal.reason;
      const room = Math.min(batchSize, maxInFlight - this.#open.size);
      if (room <= 0 || this.#openBytes >= maxInFlightBytes) {
        await Promise.race([...this.#open.values(), pause(RENEW_MS, session.signal)]);
        continue;
      }
      sink.counted();
      for (const message of await session.fetch(room)) this.#take(session, sink, message);
    }
  }

  /** Delivers in the order of the calls. */
  #take(session: ConsumerSession, sink: EventSink, message: ReceivedMessage): void {
    const bytes = message.payload?.length ?? 0;
    this.#openBytes += bytes;
    const done = this.#handle(session, sink, message)
      .catch(() => {
        // The session is lost: the message comes again.
      })
      .finally(() => {
        this.#open.delete(message);
        this.#openBytes -= bytes;
      });
    this.#open.set(message, done);
  }

  /** Ends the session when the lease is lost. Never rejects. */
  async #checkLease(session: ConsumerSession): Promise<void> {
    const isOurs = await this.#mayConsume();
    if (!isOurs && this.parts.lease?.isHeld === false) await session.close().catch(() => {});
  }

  async #handle(session: ConsumerSession, sink: EventSink, message: ReceivedMessage): Promise<void> {
    const outcome = await this.#deliver(session, sink, message);
    if (outcome.kind === 'abandoned') return;
    if (outcome.kind === 'dead' && !this.options.drops) await this.#store(session, message, outcome);
    await session.acknowledge(message);
  }

  #deliver(session: ConsumerSession, sink: EventSink, message: ReceivedMessage): Promise<Outcome> {
    let event: IngestEvent | null;
    try {
      event = this.parts.decoder.decode(message);
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      sink.refused(error.code);
      return Promise.resolve({
        kind: 'dead',
        code: error.code,
        status: 400,
        reason: error.message,
        attempts: 0,
      });
    }
    if (event !== null) return sink.deliver(event, this.#leaseOf(session));
    sink.skipped();
    return Promise.resolve({ kind: 'accepted', messageSerial: null });
  }

  /** Retries until it is stored or the session is lost. */
  async #store(
    session: ConsumerSession,
    message: ReceivedMessage,
    failure: Extract<Outcome, { kind: 'dead' }>,
  ): Promise<void> {
    const letter = deadLetterOf(this.name, message, failure);
    for (;;) {
      if (session.signal.aborted) throw session.signal.reason;
      try {
        return await session.storeDeadLetter(letter);
      } catch (error) {
        this.parts.log.warn('a dead letter is not stored', { source: this.name, error, retryable: true });
        await pause(DEAD_LETTER_PAUSE_MS, session.signal);
      }
    }
  }

  #leaseOf({ signal }: ConsumerSession): Lease {
    const { lease } = this.parts;
    return {
      signal,
      get isEnded() {
        return signal.aborted || lease?.isHeld === false;
      },
    };
  }
}
