import { currentTrace } from '@carillon/tracing';
import type { App } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import type { Queue } from '@carillon/queue';
import { pause, type Family, type CounterSeries, type Logger, type Metrics } from '@carillon/runtime';
import { PROCESS_CLOCK, type Clock } from '../clock.js';
import { eventText, isUrgent, type WebhookEvent } from '../events/event.js';
import { Backlog, type BacklogBounds, costOf } from './backlog.js';
import { cutBatches, type CollectedEvent } from './batches.js';
import { Outbox } from './outbox.js';
import type { OwnedEvent } from './owned-event.js';

/** Bytes of a delivery job beyond those of a batch with one event. */
const SPARE_JOB_BYTES = 2048;
const LOOK_MS = 10;
/** Between two log lines of dropped events of one app. */
const LOG_MS = 10_000;

export interface BatcherParts {
  readonly batching: Config['webhooks']['batching'];
  readonly queue: Queue;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Absent: as many as is reasonable. */
  readonly bounds?: BacklogBounds;
  readonly clock?: Clock;
}

/**
 * Collects events and passes them to the queue: every `duration` as batches of consecutive events of one app, in
 * order; urgent ones, and all events without batching, immediately and alone, but after earlier events of the same
 * channel.
 */
export class Batcher {
  readonly #byApp = new Map<string, CollectedEvent[]>();
  readonly #backlog: Backlog;
  readonly #outbox: Outbox;
  readonly #clock: Clock;
  readonly #maxJobBytes: number;
  readonly #losses: Family<'webhook_events_dropped_total', CounterSeries>;
  /** Apps whose overflow was logged a while ago. */
  readonly #overflowing = new Set<string>();
  #cancel: (() => void) | null = null;

  constructor(private readonly parts: BatcherParts) {
    const { queue, log, bounds, clock = PROCESS_CLOCK } = parts;
    this.#losses = parts.metrics.counter('webhook_events_dropped_total');
    this.#backlog = new Backlog(bounds);
    this.#clock = clock;
    this.#maxJobBytes = queue.limits.maxJobBytes - SPARE_JOB_BYTES;
    this.#outbox = new Outbox({
      queue,
      log,
      onDone: (batch, isEnqueued) => {
        this.#backlog.release(batch.appId, batch.events, batch.bytes);
        if (!isEnqueued) this.#dropped(batch.appId, batch.events);
      },
    });
  }

  /** Events the queue has not confirmed. */
  get size(): number {
    return this.#backlog.events;
  }

  /** `owned`: absent for an event that no other process sends. */
  add({ id: appId }: App, event: WebhookEvent, owned?: OwnedEvent): void {
    const body = eventText(event);
    const bytes = costOf(Buffer.byteLength(body));
    if (!this.#backlog.admit(appId, bytes)) {
      owned?.settle();
      return this.#overflow(appId);
    }
    const { name, channel } = event;
    // A job that is sent again must be the same to the letter.
    const trace = owned === undefined ? currentTrace() : undefined;
    const atMs = owned?.atMs ?? Date.now();
    const collected = { appId, name, channel, body, bytes, atMs, trace, owned };
    if (this.parts.batching.enabled && !isUrgent(name)) this.#collect(collected);
    else {
      this.#handOverBefore(collected);
      this.#handOver([collected]);
    }
  }

  /** Passes on all collected events before their time. */
  cut(): void {
    this.#cancel?.();
    this.#cancel = null;
    const collected = [...this.#byApp.values()];
    this.#byApp.clear();
    for (const events of collected) this.#handOver(events);
  }

  /** Hands over everything, and waits until the queue has it or there is no more time. */
  async flush(signal: AbortSignal): Promise<void> {
    this.cut();
    while (this.#outbox.size > 0 && !signal.aborted) await pause(LOOK_MS, signal);
  }

  #collect(event: CollectedEvent): void {
    const ofApp = this.#byApp.get(event.appId);
    if (ofApp === undefined) this.#byApp.set(event.appId, [event]);
    else ofApp.push(event);
    this.#cancel ??= this.#clock.after(this.parts.batching.duration, () => this.cut());
  }

  #handOverBefore({ appId, channel }: CollectedEvent): void {
    const ofApp = this.#byApp.get(appId);
    if (ofApp === undefined || !ofApp.some((event) => event.channel === channel)) return;
    this.#byApp.delete(appId);
    this.#handOver(ofApp);
  }

  #handOver(events: readonly CollectedEvent[]): void {
    const { batches, tooLarge } = cutBatches(events, this.parts.batching.size, this.#maxJobBytes);
    for (const { appId, name, bytes, owned } of tooLarge) {
      this.parts.log.warn('webhook event too large for the queue, dropped', {
        app_id: appId,
        event: name,
        bytes,
      });
      this.#backlog.release(appId, 1, bytes);
      owned?.settle();
      this.#dropped(appId, 1);
    }
    this.#outbox.add(batches);
  }

  /** Counts every dropped event and logs the first of an app within a while. */
  #overflow(appId: string): void {
    this.#dropped(appId, 1);
    if (this.#overflowing.has(appId)) return;
    this.#overflowing.add(appId);
    this.parts.log.warn('too many webhook events of the app wait, dropping the newest', { app_id: appId });
    this.#clock.after(LOG_MS, () => this.#overflowing.delete(appId));
  }

  #dropped(appId: string, events: number): void {
    this.#losses.for({ app_id: appId }).add(events);
  }
}
