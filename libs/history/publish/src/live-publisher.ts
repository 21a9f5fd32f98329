import { randomUUID } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import type { Broker, LiveEvent } from '@carillon/broker';
import type { Message } from '@carillon/protocol';
import type { Logger } from '@carillon/runtime';
import { ChannelLines, type LineBounds } from './channel-lines.js';
import { eventIdOf, uniqueForMs } from './identity.js';
import { messageOf } from './message-of.js';
import type { Publisher } from './port.js';
import type { Publication, Receipt } from './publication.js';
import type { StoredLastEvents } from './stored-last-events.js';

/** Dependencies of a `LivePublisher`. */
export interface LivePublisherParts {
  readonly broker: Pick<Broker, 'publish'>;
  readonly lastEvents: Pick<StoredLastEvents, 'keep' | 'keepPositioned'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Absent: 4096 publishes a channel, 65 536 in all. */
  readonly bounds?: LineBounds;
}

const BOUNDS: LineBounds = { maxWaitingPerChannel: 4096, maxUnderWay: 65_536 };

/** More precise than the clock of dates, which counts whole milliseconds. */
const nowMs = (): number => performance.timeOrigin + performance.now();

const unreachable = (cause: unknown): never => {
  throw new ServiceError('service_unavailable', { text: 'the other processes cannot be reached', cause });
};

/** One message to fan out. */
export type LiveMessage = LiveEvent & { readonly fact: Message };

/** Publishes ephemeral events. Receiving processes encode them for their subscribers. */
export class LivePublisher implements Publisher {
  readonly #lines: ChannelLines<LiveMessage>;

  constructor(private readonly parts: LivePublisherParts) {
    this.#lines = new ChannelLines(
      {
        keep: (event) => this.#keep(event),
        send: (event) => parts.broker.publish(event)?.catch(unreachable),
      },
      parts.bounds ?? BOUNDS,
    );
  }

  /** An event of a cache channel that cannot be stored is sent all the same. */
  publish(publication: Publication): Receipt | Promise<Receipt> {
    return this.send(eventOf(publication), publication);
  }

  /** Sends the event that `eventOf` made of a publication. */
  send(event: LiveMessage, publication: Publication): Receipt | Promise<Receipt> {
    const { messageId, streamId, serial } = event.fact;
    const receipt = (): Receipt => ({
      messageId,
      ...(streamId === null || serial === null ? {} : { position: { streamId, serial } }),
    });
    if (publication.isLastEvent) {
      const { appId, channel } = publication;
      return this.#lines.pass(`${appId} ${channel}`, event).then(receipt);
    }
    return this.parts.broker.publish(event)?.then(receipt, unreachable) ?? receipt();
  }

  async #keep({ appId, fact }: LiveMessage): Promise<boolean> {
    try {
      const { lastEvents } = this.parts;
      await (fact.serial === null ? lastEvents.keep(appId, fact) : lastEvents.keepPositioned(appId, fact));
      return true;
    } catch (error) {
      this.parts.log.warn('last event not stored', { app_id: appId, channel: fact.channel, error });
      return false;
    }
  }
}

/**
 * A publish to several channels carries one message id. Deduplication works per event, so each channel gets its own
 * event id.
 */
export function eventOf(publication: Publication): LiveMessage {
  const { appId, channel, exceptSocketId, key } = publication;
  const forMs = key === null ? null : uniqueForMs(key);
  const eventId = key === null || forMs === null ? randomUUID() : eventIdOf(publication, key);
  const fact = messageOf(publication, publication.messageId ?? eventId);
  const event = { eventId, appId, channel, fact, exceptSocketId, publishedAtMs: nowMs() };
  return forMs === null ? event : { ...event, uniqueForMs: forMs };
}
