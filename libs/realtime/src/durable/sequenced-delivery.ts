import { maxMessageBytes } from '@carillon/contracts';
import type { LiveEvent } from '@carillon/broker';
import type { StreamAddress } from '@carillon/history-store';
import type { Message } from '@carillon/protocol';
import { readSequenced } from '@carillon/history-publish';
import type { Replay, ReplayEntry, StreamPosition } from '@carillon/history-positions';
import type { Metrics } from '@carillon/runtime';
import type { ChannelFollower } from '../channels/channel-book.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Hubs } from '../apps/hubs.js';
import type { Past } from '../recovery/past.js';
import type { PatternBook } from '../patterns/pattern-book.js';
import type { Origin, OriginHead } from './origin.js';
import { PassingStreams } from './passing-streams.js';
import type { Gap, Head } from './stream-order.js';
import type { Followable } from './followed.js';
import { Streams } from './streams.js';

/** An event with its serial, as received or as read from the replay buffer. */
export interface SequencedRecord extends Followable {
  readonly event: LiveEvent & { readonly fact: Message };
}

export interface SequencedDeliveryParts {
  readonly hubs: Hubs;
  readonly delivery: Delivery;
  readonly patterns: Pick<PatternBook, 'covered'>;
  readonly replay: Replay;
  readonly past: Past;
  readonly metrics: Metrics;
  readonly givenUp: (address: StreamAddress, at: Head) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Delivers events of recoverable ephemeral channels, each stream in order. */
export class SequencedDelivery implements ChannelFollower {
  readonly streams: Streams<SequencedRecord>;
  readonly #byPattern: PassingStreams;

  constructor(private readonly parts: SequencedDeliveryParts) {
    const { metrics, replay, onTrouble, givenUp } = parts;
    this.streams = new Streams<SequencedRecord>({
      origin: new ReplayOrigin(replay),
      deliver: ({ event }) => this.#deliver(event),
      regressed: (address, { streamId }) => void this.#regressed(address, streamId),
      checked: (result) => metrics.counter('gateway_head_checks_total').for({ result }).add(),
      fetched: (result) => metrics.counter('gateway_gap_fetch_total').for({ result }).add(),
      givenUp,
      onTrouble,
    });
    this.#byPattern = new PassingStreams(this.streams);
  }

  follow({ hub, name, about: { policy } }: LocalChannel): void {
    this.#byPattern.settled(hub.appId, name);
    if (policy.recovery.enabled && !policy.history.enabled) this.streams.follow(hub.appId, name);
  }

  leave({ hub, name }: LocalChannel): void {
    this.streams.leave(hub.appId, name);
  }

  /** Accepts an event with a serial; never throws. */
  take(event: LiveEvent & { readonly fact: Message }): void {
    const { appId, channel } = event;
    const hub = this.parts.hubs.find(appId);
    if (hub === null) return;
    const isHere = hub.remembers(channel);
    if (!isHere && this.parts.patterns.covered(hub, channel) === null) return;
    // The channel's recovery may have been enabled after a local subscription began.
    if (isHere) this.streams.follow(appId, channel);
    else this.#byPattern.follow(appId, channel);
    this.streams.take(recordOf(event));
  }

  /** The last pattern subscription of the app ended. */
  noPatterns(appId: string): void {
    this.#byPattern.forget(appId);
  }

  #deliver(event: SequencedRecord['event']): void {
    const isHere = this.parts.hubs.find(event.appId)?.remembers(event.channel) === true;
    if (isHere) this.parts.past.keep(event.appId, event.fact, event.publishedAtMs);
    this.parts.delivery.deliver(event);
  }

  /**
   * The sequencer's counter decreased, as after the loss of a store's last changes: its serials were assigned before.
   */
  async #regressed({ appId, channel }: StreamAddress, streamId: string): Promise<void> {
    const { replay, metrics, onTrouble } = this.parts;
    try {
      const isNew = await replay.renew({ appId, channel }, streamId);
      if (isNew) metrics.counter('sequencer_stream_resets_total').for().add();
    } catch (error) {
      onTrouble('a stream that went back', error);
    }
  }
}

const recordOf = (event: SequencedRecord['event']): SequencedRecord => ({
  op: 'publish',
  app_id: event.appId,
  channel: event.channel,
  stream_id: event.fact.streamId,
  serial: event.fact.serial,
  history_serial: null,
  message_id: event.eventId,
  event,
});

/** Heads requested concurrently. */
const AT_ONCE = 500;
/** No missing record is too old. */
const ANY_AGE_MS = Number.MAX_SAFE_INTEGER;
/** Larger than any published message. */
const MAX_BYTES = maxMessageBytes(64 * 1024 * 1024);

/** Decodes a stored event; null if it cannot be decoded. */
export function keptEvent(
  { appId, channel }: Pick<StreamAddress, 'appId' | 'channel'>,
  streamId: string,
  { serial, text, atMs }: ReplayEntry,
): SequencedRecord['event'] | null {
  const read = readSequenced(text, { streamId, serial }, MAX_BYTES);
  if (read === null || read.message.channel !== channel) return null;
  return {
    eventId: read.eventId,
    appId,
    channel,
    fact: read.message,
    exceptSocketId: null,
    publishedAtMs: atMs,
  };
}

/** Origin that reads streams of the sequencer. */
class ReplayOrigin implements Origin<SequencedRecord> {
  constructor(private readonly replay: Replay) {}

  headNow(address: StreamAddress): OriginHead<SequencedRecord> | undefined {
    if (!this.replay.isAtOnce) return undefined;
    try {
      const heads = this.replay.heads([address]);
      const [position] = heads instanceof Promise ? [] : heads;
      return position === undefined ? undefined : this.#headOf(address, position);
    } catch {
      // Callers that need the head request it again and receive the error.
      return undefined;
    }
  }

  async heads(addresses: readonly StreamAddress[]): Promise<readonly OriginHead<SequencedRecord>[]> {
    const heads: OriginHead<SequencedRecord>[] = [];
    for (let from = 0; from < addresses.length; from += AT_ONCE) {
      const asked = addresses.slice(from, from + AT_ONCE);
      for (const [at, position] of (await this.replay.heads(asked)).entries()) {
        const address = asked[at];
        if (address !== undefined) heads.push(this.#headOf(address, position));
      }
    }
    return heads;
  }

  #headOf(address: StreamAddress, { streamId, serial }: StreamPosition): OriginHead<SequencedRecord> {
    return {
      streamId,
      next: serial + 1,
      // A publisher may have been assigned a serial without having sent its event yet.
      handedOver: 0,
      read: async ({ fromSerial, toSerial }: Gap) => {
        const range = await this.replay.range(address, fromSerial, ANY_AGE_MS);
        if (range?.streamId !== streamId) return [];
        return range.entries.flatMap((entry) => {
          const event = entry.serial > toSerial ? null : keptEvent(address, streamId, entry);
          return event === null ? [] : recordOf(event);
        });
      },
    };
  }
}
