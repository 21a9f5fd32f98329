import type { App } from '@carillon/app-registry';
import type { PublishableChannel } from '@carillon/channels';
import { cacheKeys } from '@carillon/contract';
import type { Publication, PublicationKey, Publisher, Receipt } from '@carillon/publishing';
import { fingerprint } from '../idempotency/fingerprint.js';
import type { KeyRules } from '../idempotency/keys.js';
import type { Delivered, MessageReceipts } from '../idempotency/message-receipts.js';
import type { Ready } from '../pipeline/when-ready.js';
import type { Event } from './event.js';

/** Channels of one event that are claimed and published side by side. */
const SIDE_BY_SIDE = 64;

/** What came of an event, for each of its channels in order. */
export interface Published {
  readonly receipts: readonly Receipt[];
  /** True: every channel had it already. */
  readonly isDuplicate: boolean;
}

/** Sends a judged event to each of its channels, at most once where it has a key. */
export class EventPublisher {
  constructor(
    private readonly publisher: Publisher,
    private readonly messages: MessageReceipts,
    private readonly keys: KeyRules,
  ) {}

  /**
   * Is there at once when the publisher is and the event has no key. When it fails, some channels may have it;
   * `requestKey` (that of the event or its request, null without one) then keeps a retry from repeating those.
   */
  publish(app: App, event: Event, requestKey: string | null): Ready<Published> {
    const key = event.messageId ?? event.messageKey ?? requestKey;
    const ttlMs = key === null ? null : this.keys.ttlMs(app);
    if (key === null || ttlMs === null) return this.#plain(app, event);
    return this.#once(app, event, { key, ttlMs, fingerprint: fingerprint(event) });
  }

  #plain(app: App, event: Event): Ready<Published> {
    const { channels } = event;
    if (channels.length > 1) return this.#several(app, event);
    const [channel] = channels;
    if (channel === undefined) return { receipts: [], isDuplicate: false };
    const receipt = this.publisher.publish(publication(app, event, channel, null));
    return receipt instanceof Promise ? receipt.then(single) : single(receipt);
  }

  /** Every channel is published to before any is waited for; all are waited for before a failure is told. */
  #several(app: App, event: Event): Ready<Published> {
    const started = event.channels.map((channel) => this.#attempt(publication(app, event, channel, null)));
    if (!started.some((one) => one instanceof Promise)) {
      return { receipts: started as Receipt[], isDuplicate: false };
    }
    return allSettled(started).then((receipts) => ({ receipts, isDuplicate: false }));
  }

  #attempt(one: Publication): Ready<Receipt> {
    try {
      return this.publisher.publish(one);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #once(app: App, event: Event, key: PublicationKey): Promise<Published> {
    const delivered: Delivered[] = [];
    for (let from = 0; from < event.channels.length; from += SIDE_BY_SIDE) {
      const started = event.channels
        .slice(from, from + SIDE_BY_SIDE)
        .map((channel) => this.#deliverOnce(publication(app, event, channel, key), key));
      delivered.push(...(await allSettled(started)));
    }
    return {
      receipts: delivered.map(({ receipt }) => receipt),
      isDuplicate: delivered.every(({ isDuplicate }) => isDuplicate),
    };
  }

  /** Where there is a history, it knows the key with the message itself; elsewhere the cache does. */
  async #deliverOnce(
    one: Publication,
    { key, ttlMs, fingerprint: content }: PublicationKey,
  ): Promise<Delivered> {
    if (one.history === null) {
      const name = cacheKeys.publish(one.appId, one.channel, key);
      return this.messages.once(name, content, ttlMs, () => this.publisher.publish(one));
    }
    const receipt = await this.publisher.publish(one);
    return { receipt, isDuplicate: receipt.isDuplicate ?? false };
  }
}

const single = (receipt: Receipt): Published => ({ receipts: [receipt], isDuplicate: false });

/** Rejects with the first failure in order, but only when nothing is running any more. */
async function allSettled<Value>(started: readonly Ready<Value>[]): Promise<Value[]> {
  const outcomes = await Promise.allSettled(started);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

function publication(
  { id }: App,
  event: Event,
  channel: PublishableChannel,
  key: PublicationKey | null,
): Publication {
  const isOrdinary = !event.isEphemeral && channel.form === 'ordinary';
  const { history } = channel.policy;
  return {
    appId: id,
    channel: channel.name,
    event: event.name,
    dataText: event.dataText,
    userId: null,
    exceptSocketId: event.socketId,
    messageId: event.messageId,
    isLastEvent: isOrdinary && channel.traits.keepsLastEvent,
    history: isOrdinary && history.enabled ? history : null,
    tagsText: event.tagsText,
    extrasText: event.extrasText,
    key,
  };
}
