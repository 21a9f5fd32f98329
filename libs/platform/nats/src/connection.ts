import { POISON, POISON_VARIABLE } from '@carillon/collections';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { pause } from '@carillon/runtime';
import type { NatsAnswer } from './answer.js';
import type { NatsEvent } from './nats-event.js';

/** A connection of the official client. */
export type Client = NatsConnection;

export interface Hearing {
  readonly subject: string;
  /** Name of a queue group, of which one member gets each message; absent: every subscriber gets it. */
  readonly queue?: string;
  /** Must not throw. The payload is valid during the call only. */
  readonly take: (message: Msg) => void;
  /** The server denies the subscription; it is over. */
  readonly refused: () => void;
}

export interface Heard {
  /** Unsubscribes; messages sent before the server knows are still taken. */
  drain(): void;
  /** Unsubscribes and takes nothing more. */
  drop(): void;
}

const isPoisoning = process.env[POISON_VARIABLE] === 'true';
const SILENT: NatsAnswer = { kind: 'silent' };
const DEFAULT_MAX_PAYLOAD = 1024 * 1024;
/** Time limit of the last flush before a close. */
const FLUSH_WITHIN_MS = 1000;

/**
 * A connection of the official client without its reconnects: callers handle its end and open the next one. Published
 * messages wait for `leave`, `ping` or the end of the turn, so that one turn makes one write.
 */
export class Connection {
  /** Settles with the reason once the connection is over. */
  readonly closed: Promise<string>;
  #leaving: (() => void)[] = [];
  /** Pings without an answer, in order. */
  #asked: ((isAnswered: boolean) => void)[] = [];
  #others: readonly string[] = [];
  #isTurnEnding = false;
  #isOver = false;
  #lastError = 'the connection was closed';

  constructor(
    /** For companion packages such as JetStream's. They must not close it. */
    readonly client: Client,
    private readonly onEvent: (event: NatsEvent) => void,
  ) {
    this.#others = this.others;
    void this.#watch();
    this.closed = this.#untilClosed();
  }

  get isClosed(): boolean {
    return this.#isOver || this.client.isClosed();
  }

  /** Addresses of the other servers of the cluster, as far as the server named them. */
  get others(): readonly string[] {
    // The client forgets its server when it is closed, which is when the others are needed.
    this.#others = this.client.info?.connect_urls ?? this.#others;
    return this.#others;
  }

  /** Size limit of a message, in bytes. */
  get maxPayload(): number {
    return this.client.info?.max_payload ?? DEFAULT_MAX_PAYLOAD;
  }

  /** Called with the subject of a message the server denied. */
  refused: (subject: string) => void = () => {};

  publish(subject: string, payload: Uint8Array, reply?: string): void {
    this.#leaving.push(() => {
      try {
        this.client.publish(subject, payload, reply === undefined ? undefined : { reply });
      } catch {
        this.refused(subject);
      }
    });
  }

  /** Publishes at the end of this turn of the event loop. Drops a message over the size limit. */
  tell(subject: string, text: string, reply?: string): void {
    const payload = Buffer.from(text);
    if (payload.byteLength > this.maxPayload) return;
    this.publish(subject, payload, reply);
    this.#leaveAtTurnEnd();
  }

  hear({ subject, queue, take, refused }: Hearing): Heard {
    const callback = (error: Error | null, message: Msg): void => {
      if (error !== null) {
        refused();
        return;
      }
      take(message);
      // The client hands out views of socket chunks, which Node never reuses. A kept view would still be correct, but
      // would keep a whole chunk in memory; poison finds it in tests.
      if (isPoisoning) message.data.fill(POISON);
    };
    const subscription = this.client.subscribe(
      subject,
      queue === undefined ? { callback } : { callback, queue },
    );
    return {
      drain: () => void subscription.drain().catch(() => undefined),
      drop: () => subscription.unsubscribe(),
    };
  }

  /** Sends a request to one subscriber of the subject. Silent if the connection has ended. */
  ask(subject: string, text: string, timeoutMs: number): Promise<NatsAnswer> {
    return new Promise((resolve) => {
      this.#leaving.push(() => {
        this.client.request(subject, Buffer.from(text), { timeout: Math.max(1, timeoutMs) }).then(
          ({ data }) => resolve({ kind: 'reply', text: textOf(data) }),
          (error: unknown) => resolve(isNoResponder(error) ? { kind: 'no_responder' } : SILENT),
        );
      });
      this.#leaveAtTurnEnd();
    });
  }

  /** Sends pending messages and a ping behind them. `false`: the connection ended without an answer. */
  ping(answered: (isAnswered: boolean) => void): void {
    if (this.isClosed) {
      answered(false);
      return;
    }
    this.#asked.push(answered);
    this.leave();
    // The client reports errors through an iterator, some microtasks later than the answer behind them.
    this.client.flush().then(
      () => setImmediate(this.#answered),
      () => undefined,
    );
  }

  /** Passes pending messages to the client, which writes once, at the end of the microtask. */
  leave(): void {
    const leaving = this.#leaving;
    if (leaving.length === 0) return;
    this.#leaving = [];
    for (const send of leaving) send();
  }

  /** Sends pending messages, then closes. Idempotent. */
  async close(): Promise<void> {
    if (!this.isClosed) {
      this.leave();
      const flushed = new AbortController();
      await Promise.race([
        this.client.flush().catch(() => undefined),
        this.closed,
        pause(FLUSH_WITHIN_MS, flushed.signal),
      ]);
      flushed.abort();
      await this.client.close();
    }
    await this.closed;
  }

  readonly #answered = (): void => {
    this.#asked.shift()?.(true);
  };

  #leaveAtTurnEnd(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => {
      this.#isTurnEnding = false;
      this.leave();
    });
  }

  async #watch(): Promise<void> {
    for await (const status of this.client.status()) {
      this.#others = this.others;
      if (status.type === 'ldm') this.onEvent('lame_duck');
      if (status.type === 'error') this.#complained(status.error);
    }
  }

  #complained(error: Error): void {
    this.onEvent(/^slow consumer/i.test(error.message) ? 'slow_consumer' : 'server_error');
    if (!(error instanceof errors.PermissionViolationError)) this.#lastError = error.message;
    else if (error.operation === 'publish') this.refused(error.subject);
  }

  async #untilClosed(): Promise<string> {
    const error = await this.client.closed();
    this.#isOver = true;
    for (const answered of this.#asked.splice(0)) answered(false);
    return error instanceof Error && error.message !== '' ? error.message : this.#lastError;
  }
}

/** Decodes UTF-8 and keeps a leading byte order mark, unlike the client's `string()`. */
export const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

const isNoResponder = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders());
