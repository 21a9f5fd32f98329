import { randomUUID } from 'node:crypto';
import type { App } from '@carillon/app-registry';
import { cacheKeys } from '@carillon/contracts';
import type { PreparedExtras, Triggers } from '@carillon/push-core';
import type { Metrics } from '@carillon/runtime';
import type { Caller } from '../caller.js';
import type { KeyRules } from '../idempotency/keys.js';
import type { RequestRecords } from '../idempotency/request-records.js';
import type { PublishCounts } from './counts.js';
import type { Receipt } from '@carillon/history-publish';
import type { PublishNews } from './news.js';
import type { Event } from './event.js';
import type { EventOwners } from './event-owners.js';
import { eventOutcome, NO_COUNTS, readOutcome, UNREPORTED, type EventOutcome } from './outcome.js';
import { isDurable, type EventPublisher, type Published } from './publish-event.js';

export interface EventRunParts {
  readonly publisher: EventPublisher;
  readonly owners: EventOwners;
  readonly records: RequestRecords;
  readonly keys: KeyRules;
  readonly metrics: Metrics;
  readonly news: PublishNews;
  /** Null: nothing becomes a push in this process. */
  readonly push: Triggers | null;
  /** Null in role `api`, where counts cannot be requested. */
  readonly counts: PublishCounts | null;
}

/** Result of an event, and whether it was replayed. */
export interface EventRun {
  readonly outcome: EventOutcome;
  readonly isReplay: boolean;
}

/** Publishes judged events, those with a key once. */
export class EventRunner {
  constructor(private readonly parts: EventRunParts) {}

  /** `key` belongs to the event or its request; null: none. Synchronous if nothing must be awaited. */
  run(caller: Caller, event: Event, key: string | null): EventRun | Promise<EventRun> {
    const attributed = this.parts.owners.attribute(caller, event);
    if (attributed === null) return this.#run(caller, event, key);
    return attributed.then((owned) => this.#run(caller, owned, key));
  }

  #run(caller: Caller, event: Event, key: string | null): EventRun | Promise<EventRun> {
    const { push } = this.parts;
    if (push === null || !becomesPush(push, event)) return this.#alone(caller, event, key);
    return this.#withPush(push, caller, event, key);
  }

  /** Rejects when the push of one of them could not be published; nothing is published then. */
  async checkPush({ app }: Caller, events: readonly Event[]): Promise<void> {
    const { push } = this.parts;
    if (push === null) return;
    for (const event of events) {
      if (event.push !== null) await (await push.extras(app.id, event.push)).checkOpen();
    }
  }

  async #withPush(push: Triggers, caller: Caller, event: Event, key: string | null): Promise<EventRun> {
    const { app } = caller;
    const extras: PreparedExtras | null = event.push === null ? null : await push.extras(app.id, event.push);
    await extras?.checkOpen();
    const run = await this.#alone(caller, event, key);
    const id = event.messageId ?? event.messageKey ?? key ?? randomUUID();
    const data: unknown = JSON.parse(event.dataText);
    for (const { name: channel } of event.channels) {
      // Of the same publish it is the same push, so that one which was cut off is made up for by a retry.
      await extras?.publish(channel, id);
      await push.onPublished({ appId: app.id, channel, event: event.name, data, id });
    }
    return run;
  }

  #alone(caller: Caller, event: Event, key: string | null): EventRun | Promise<EventRun> {
    const [channel] = event.channels;
    const isPlain = key === null && event.messageKey === null && !event.isReported;
    if (!isPlain || channel === undefined || event.channels.length > 1)
      return this.#reported(caller, event, key);
    const receipt = this.parts.publisher.publishPlain(caller, event, channel);
    if (receipt instanceof Promise) return receipt.then((done) => this.#plain(caller, event, done));
    return this.#plain(caller, event, receipt);
  }

  /** Several that may all be in a series, each with its own key only. */
  async runSeries(caller: Caller, events: readonly Event[]): Promise<readonly EventOutcome[]> {
    const { owners, publisher } = this.parts;
    const published = await publisher.publishSeries(caller, await owners.attributeAll(caller, events));
    const outcomes: EventOutcome[] = [];
    for (const [index, event] of events.entries()) {
      const done = published[index];
      if (done !== undefined) outcomes.push(await this.#told(caller, event, null, done));
    }
    return outcomes;
  }

  /** An event with a key of its own claims it alone. */
  mayBeInSeries(caller: Caller, event: Event): boolean {
    const { push } = this.parts;
    if (push !== null && becomesPush(push, event)) return false;
    return isDurable(event) && (event.idempotencyKey === null || this.parts.keys.ttlOf(caller) === null);
  }

  #plain({ app }: Caller, event: Event, receipt: Receipt): EventRun {
    this.parts.news.tell(app, event, [receipt]);
    return UNREPORTED_RUN;
  }

  async #reported(caller: Caller, event: Event, key: string | null): Promise<EventRun> {
    const { app } = caller;
    const ttlMs = key === null ? null : this.parts.keys.ttlOf(caller);
    if (key === null || ttlMs === null)
      return { outcome: await this.#publish(caller, event, null), isReplay: false };
    const name = cacheKeys.request(app.id, key);
    const { record, isReplay } = await this.parts.records.once(name, ttlMs, async () =>
      JSON.stringify(await this.#publish(caller, event, key)),
    );
    if (isReplay) this.#count(app, true);
    return { outcome: readOutcome(record), isReplay };
  }

  async #publish(caller: Caller, event: Event, key: string | null): Promise<EventOutcome> {
    const done = await this.parts.publisher.publish(caller, event, key);
    return this.#told(caller, event, key, done);
  }

  async #told(caller: Caller, event: Event, key: string | null, done: Published): Promise<EventOutcome> {
    const { app } = caller;
    this.parts.news.tell(app, event, done.receipts);
    const hasKey =
      (key ?? event.messageId ?? event.messageKey) !== null && this.parts.keys.ttlOf(caller) !== null;
    if (hasKey) this.#count(app, done.isDuplicate);
    if (key === null && !event.isReported) return UNREPORTED;
    const { counts } = this.parts;
    const { subscriptionCount, userCount } = event.info;
    const isCounted = counts !== null && (subscriptionCount || userCount);
    return eventOutcome(event, done, isCounted ? await counts.of(app.id, event) : NO_COUNTS);
  }

  #count({ id: app_id }: App, isDuplicate: boolean): void {
    const { metrics } = this.parts;
    metrics.counter('idempotency_publish_total').for({ app_id }).add();
    if (isDuplicate) metrics.counter('idempotency_duplicates_total').for({ app_id }).add();
  }
}

const UNREPORTED_RUN: EventRun = { outcome: UNREPORTED, isReplay: false };

const becomesPush = (push: Triggers, { push: extras, name, channels }: Event): boolean =>
  extras !== null || (push.hasRules && channels.some((channel) => push.concerns(channel.name, name)));
