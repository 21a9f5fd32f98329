import type { EventSink, IngestEvent, Lease, Outcome } from '@carillon/ingest-source';
import { pause } from '@carillon/runtime';
import type { Attempt, Retry } from './attempt.js';
import type { SourceMeters } from './meters.js';
import { APP_NOT_FOUND, type IngestPublisher } from './publisher.js';
import { retryDelayMs, type RetryOptions } from './retry-delay.js';

interface Item {
  readonly event: IngestEvent;
  readonly lease: Lease;
  readonly resolve: (outcome: Outcome) => void;
}

/** What the retries of the first event of a channel have come to. */
interface Tries {
  attempts: number;
  /** Of these, attempts answered with 500. */
  internal: number;
  readonly startedAtMs: number;
}

/** An app that does not exist is looked up this long: its creation may not have reached the cache of apps. */
const UNKNOWN_APP_MS = 10_000;
const INTERNAL = 500;
const ABANDONED: Outcome = { kind: 'abandoned' };
/** Publishes of one channel that share a request. */
const MAX_TOGETHER = 50;

/** Publishes the events of one source: channels concurrently, each channel strictly in order. */
export class SourceSink implements EventSink {
  readonly #channels = new Map<string, Item[]>();
  /** Until when apps wait because of their rate limit, monotonic. */
  readonly #gates = new Map<string, number>();

  constructor(
    private readonly publisher: Pick<IngestPublisher, 'attempt' | 'attemptAll'>,
    private readonly meters: SourceMeters,
    private readonly retry: RetryOptions,
  ) {}

  deliver(event: IngestEvent, lease: Lease): Promise<Outcome> {
    this.meters.started();
    return new Promise((resolve) => {
      const key = event.channel === null ? `push\u001f${event.id}` : `${event.app}\u001f${event.channel}`;
      const queue = this.#channels.get(key);
      const item = { event, lease, resolve };
      if (queue !== undefined) {
        queue.push(item);
        return;
      }
      const items = [item];
      this.#channels.set(key, items);
      void this.#drain(key, items);
    });
  }

  counted(): void {
    this.meters.counted();
  }

  refused(code: string): void {
    this.meters.dead(code);
  }

  skipped(): void {
    this.meters.skipped();
  }

  /** Publishes what waits for a channel until nothing does. Never rejects. */
  async #drain(key: string, items: Item[]): Promise<void> {
    for (let first = items[0]; first !== undefined; first = items[0]) {
      if (items.length > 1 && (await this.#together(items))) continue;
      this.#end(first, await this.#untilEnded(first));
      items.shift();
    }
    this.#channels.delete(key);
  }

  /** Publishes the first items in one request. False: each needs attempts of its own. */
  async #together(items: Item[]): Promise<boolean> {
    const batch = leadingPublishes(items);
    if (batch.length < 2 || this.#waitMs(batch[0]?.event.app ?? '') > 0) return false;
    const attempts = await this.publisher.attemptAll(
      batch.map(({ event }) => event),
      MAX_TOGETHER,
    );
    if (attempts === null) return this.#singly(items, batch.length);
    attempts.forEach((attempt, index) => {
      const item = batch[index];
      if (item !== undefined && attempt.kind === 'accepted') this.#end(item, this.#settle(item, attempt));
    });
    items.splice(0, attempts.length);
    return true;
  }

  /** After a failed batch its events are published one by one, so that each has an answer of its own. */
  async #singly(items: Item[], count: number): Promise<boolean> {
    for (const item of items.slice(0, count)) {
      this.#end(item, await this.#untilEnded(item));
      items.shift();
    }
    return true;
  }

  async #untilEnded(item: Item): Promise<Outcome> {
    const { event, lease } = item;
    const tries: Tries = { attempts: 0, internal: 0, startedAtMs: performance.now() };
    for (;;) {
      const waitMs = this.#waitMs(event.app);
      if (waitMs > 0) await pause(waitMs, lease.signal);
      if (lease.isEnded) return ABANDONED;
      const attempt = await this.publisher.attempt(event, lease);
      tries.attempts += 1;
      if (attempt.kind !== 'retry') return this.#settle(item, attempt, tries.attempts);
      this.meters.retried(attempt.code);
      const given = this.#givenUp(attempt, tries);
      if (given !== null) return this.#settle(item, given, tries.attempts);
      if (attempt.isOfApp) this.#gates.set(event.app, performance.now() + attempt.afterMs);
      await pause(Math.max(attempt.afterMs, retryDelayMs(this.retry, tries.attempts)), lease.signal);
    }
  }

  /** Null: the event is tried again. */
  #givenUp({ code, status, reason }: Retry, tries: Tries): Attempt | null {
    if (status === INTERNAL) tries.internal += 1;
    const isUnknownApp = code === APP_NOT_FOUND && performance.now() - tries.startedAtMs >= UNKNOWN_APP_MS;
    if (!isUnknownApp && tries.internal < this.retry.maxAttempts) return null;
    return { kind: 'dead', code, status, reason, attempts: tries.attempts };
  }

  #settle({ event, lease }: Item, attempt: Exclude<Attempt, Retry> | Attempt, attempts = 1): Outcome {
    if (attempt.kind === 'retry') return ABANDONED;
    if (attempt.kind === 'dead') {
      this.meters.dead(attempt.code);
      return { ...attempt, attempts };
    }
    const { messageSerial, isDuplicate } = attempt;
    this.meters.accepted(event.atMs, isDuplicate);
    // Before the next event of the channel, which may name this message.
    if (messageSerial !== null) remember(event, lease, messageSerial);
    return { kind: 'accepted', messageSerial };
  }

  #end({ resolve }: Item, outcome: Outcome): void {
    this.meters.ended();
    resolve(outcome);
  }

  #waitMs(app: string): number {
    const untilMs = this.#gates.get(app);
    if (untilMs === undefined) return 0;
    const waitMs = untilMs - performance.now();
    if (waitMs <= 0) this.#gates.delete(app);
    return waitMs;
  }
}

/** The first items that may be one request: publishes without a request key, whose lease has not ended. */
function leadingPublishes(items: readonly Item[]): readonly Item[] {
  const most = items.slice(0, MAX_TOGETHER);
  const end = most.findIndex(
    ({ event, lease }) =>
      event.op !== 'publish' || lease.isEnded || event.optionsText.includes('"idempotency_key"'),
  );
  return end === -1 ? most : most.slice(0, end);
}

function remember({ op, app, channel, optionsText }: IngestEvent, { messages }: Lease, serial: string): void {
  if (op !== 'publish' || channel === null || messages === undefined) return;
  if (!optionsText.includes('"message_id"')) return;
  const { message_id: id } = JSON.parse(optionsText) as { readonly message_id?: unknown };
  if (typeof id === 'string') messages.remember(app, channel, id, serial);
}
