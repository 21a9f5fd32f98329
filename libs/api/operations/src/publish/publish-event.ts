import { keptOf, type PublishableChannel } from '@carillon/channels';
import type { BatchPublisher, Publication, PublicationKey, Receipt } from '@carillon/history-publish';
import type { Caller } from '../caller.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import type { KeyRules } from '../idempotency/keys.js';
import type { OncePublisher } from '../idempotency/once-publisher.js';
import type { Event } from './event.js';

/** Channels of one event that are claimed and published side by side. */
const SIDE_BY_SIDE = 64;

/** Result of an event, for each of its channels in order. */
export interface Published {
  readonly receipts: readonly Receipt[];
  /** True: every channel had it already. */
  readonly isDuplicate: boolean;
}

/** Sends a judged event to each of its channels, at most once where it has a key. */
export class EventPublisher {
  constructor(
    private readonly publisher: BatchPublisher,
    private readonly once: OncePublisher,
    private readonly keys: KeyRules,
  ) {}

  /** Publishes to a single channel, regardless of keys. Synchronous if the publisher is. */
  publishPlain(caller: Caller, event: Event, channel: PublishableChannel): Receipt | Promise<Receipt> {
    return this.publisher.publish(publication(caller, event, channel, null));
  }

  /**
   * When it fails, some channels may have it; `requestKey` (that of the event or its request, null without one) then
   * keeps a retry from repeating those.
   */
  async publish(caller: Caller, event: Event, requestKey: string | null): Promise<Published> {
    const key = this.#key(caller, event, requestKey);
    if (key !== null) return this.#once(caller, event, key);
    // All channels are published before any is awaited, and all are awaited before a failure is reported.
    const started = event.channels.map(async (channel) => this.publishPlain(caller, event, channel));
    return { receipts: await allSettled(started), isDuplicate: false };
  }

  /** Publishes events of one channel with a history each, one after another until one fails; none has a request's key. */
  async publishSeries(caller: Caller, events: readonly Event[]): Promise<Published[]> {
    const publications = events.flatMap((event) =>
      event.channels.map((channel) => publication(caller, event, channel, this.#key(caller, event, null))),
    );
    const receipts = await this.publisher.publishSeries(publications);
    return receipts.map((receipt) => ({ receipts: [receipt], isDuplicate: receipt.isDuplicate ?? false }));
  }

  /** Null: nothing keeps it from being published twice. */
  #key(caller: Caller, event: Event, requestKey: string | null): PublicationKey | null {
    const key = event.messageId ?? event.messageKey ?? requestKey;
    const ttlMs = key === null ? null : this.keys.ttlOf(caller);
    return key === null || ttlMs === null ? null : { key, ttlMs, fingerprint: fingerprint(event) };
  }

  async #once(caller: Caller, event: Event, key: PublicationKey): Promise<Published> {
    const receipts: Receipt[] = [];
    for (let from = 0; from < event.channels.length; from += SIDE_BY_SIDE) {
      const started = event.channels
        .slice(from, from + SIDE_BY_SIDE)
        .map((channel) => this.once.publish(publication(caller, event, channel, key), key));
      receipts.push(...(await allSettled(started)));
    }
    return { receipts, isDuplicate: receipts.every(({ isDuplicate }) => isDuplicate === true) };
  }
}

/** Rejects with the first failure in order, but only after all have settled. */
async function allSettled<Value>(started: readonly Promise<Value>[]): Promise<Value[]> {
  const outcomes = await Promise.allSettled(started);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** Whether it is of one channel, and becomes part of its history. */
export const isDurable = (event: Event): boolean =>
  event.channels.length === 1 &&
  event.channels.every((channel) => keptOf(channel, event.isEphemeral).history !== null);

function publication(
  { app, userId }: Caller,
  event: Event,
  channel: PublishableChannel,
  key: PublicationKey | null,
): Publication {
  const isOrdinary = !event.isEphemeral && channel.form === 'ordinary';
  return {
    appId: app.id,
    channel: channel.name,
    event: event.name,
    dataText: event.dataText,
    ...(event.isJsonText === true ? { isJsonText: true } : {}),
    userId,
    mayBeDelta: event.mayBeDelta,
    exceptSocketId: event.socketId,
    ...(event.creatorId === null ? {} : { creatorId: event.creatorId }),
    messageId: event.messageId,
    isLastEvent: isOrdinary && channel.traits.keepsLastEvent,
    ...keptOf(channel, event.isEphemeral),
    tagsText: event.tagsText,
    extrasText: event.extrasText,
    key,
  };
}
