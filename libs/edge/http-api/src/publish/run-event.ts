import type { App } from '@carillon/app-registry';
import { cacheKeys } from '@carillon/contract';
import type { Metrics } from '@carillon/runtime';
import type { KeyRules } from '../idempotency/keys.js';
import type { RequestRecords } from '../idempotency/request-records.js';
import { whenReady, type Ready } from '../pipeline/when-ready.js';
import type { PublishCounts } from './counts.js';
import type { Event } from './event.js';
import { eventOutcome, NO_COUNTS, readOutcome, UNREPORTED, type EventOutcome } from './outcome.js';
import { isDurable, type EventPublisher, type Published } from './publish-event.js';

export interface EventRunParts {
  readonly publisher: EventPublisher;
  readonly records: RequestRecords;
  readonly keys: KeyRules;
  readonly metrics: Metrics;
  /** Null in role `api`, where no event asks for counts. */
  readonly counts: PublishCounts | null;
}

/** What came of an event, and whether it was only remembered. */
export interface EventRun {
  readonly outcome: EventOutcome;
  readonly isReplay: boolean;
}

/** Publishes judged events, those with a key once. */
export class EventRunner {
  constructor(private readonly parts: EventRunParts) {}

  /** `key` is that of the event or its request, null without one. Is there at once when nothing must be waited for. */
  run(app: App, event: Event, key: string | null): Ready<EventRun> {
    const ttlMs = key === null ? null : this.parts.keys.ttlMs(app);
    if (key !== null && ttlMs !== null) return this.#once(app, event, key, ttlMs);
    return whenReady(this.#publish(app, event, null), ranNow);
  }

  /** One event, or several that may all be in a series, each with its own key only. */
  runAll(app: App, events: readonly Event[]): Ready<readonly EventOutcome[]> {
    const [first] = events;
    if (first === undefined || events.length > 1) return this.#series(app, events);
    return whenReady(this.run(app, first, first.idempotencyKey), ({ outcome }) => [outcome]);
  }

  async #series(app: App, events: readonly Event[]): Promise<readonly EventOutcome[]> {
    const published = await this.parts.publisher.publishSeries(app, events);
    const outcomes: EventOutcome[] = [];
    for (const [index, event] of events.entries()) {
      const done = published[index];
      if (done !== undefined) outcomes.push(await this.#told(app, event, null, done));
    }
    return outcomes;
  }

  /** An event with a key of its own claims it alone. */
  mayBeInSeries(app: App, event: Event): boolean {
    return isDurable(event) && (event.idempotencyKey === null || this.parts.keys.ttlMs(app) === null);
  }

  async #once(app: App, event: Event, key: string, ttlMs: number): Promise<EventRun> {
    const name = cacheKeys.request(app.id, key);
    const { record, isReplay } = await this.parts.records.once(name, ttlMs, async () =>
      JSON.stringify(await this.#publish(app, event, key)),
    );
    if (isReplay) this.#count(app, true);
    return { outcome: readOutcome(record), isReplay };
  }

  #publish(app: App, event: Event, key: string | null): Ready<EventOutcome> {
    const published = this.parts.publisher.publish(app, event, key);
    return whenReady(published, (done) => this.#told(app, event, key, done));
  }

  #told(app: App, event: Event, key: string | null, done: Published): Ready<EventOutcome> {
    const hasKey =
      (key ?? event.messageId ?? event.messageKey) !== null && this.parts.keys.ttlMs(app) !== null;
    if (hasKey) this.#count(app, done.isDuplicate);
    return key === null && !event.isReported ? UNREPORTED : this.#outcome(app, event, done);
  }

  #outcome(app: App, event: Event, published: Published): Ready<EventOutcome> {
    const { counts } = this.parts;
    const { subscriptionCount, userCount } = event.info;
    if (counts === null || !(subscriptionCount || userCount))
      return eventOutcome(event, published, NO_COUNTS);
    return counts.of(app.id, event).then((counted) => eventOutcome(event, published, counted));
  }

  #count({ id: app_id }: App, isDuplicate: boolean): void {
    const { metrics } = this.parts;
    metrics.counter('idempotency_publish_total').for({ app_id }).add();
    if (isDuplicate) metrics.counter('idempotency_duplicates_total').for({ app_id }).add();
  }
}

const ranNow = (outcome: EventOutcome): EventRun => ({ outcome, isReplay: false });
