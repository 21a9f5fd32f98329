import { randomUUID } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import type { Fabric, LiveEvent } from '@carillon/fabric';
import { encodeV1, type OutboundFrame } from '@carillon/protocol';
import type { Logger } from '@carillon/runtime';
import { ChannelLines, type LineBounds } from './channel-lines.js';
import { eventIdOf, uniqueForMs } from './identity.js';
import type { Publisher } from './port.js';
import type { Publication, Receipt } from './publication.js';
import type { StoredLastEvents } from './stored-last-events.js';

/** What a `LivePublisher` stands on. */
export interface LivePublisherParts {
  readonly fabric: Pick<Fabric, 'publish'>;
  readonly lastEvents: Pick<StoredLastEvents, 'keep'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Absent: 4096 publishes a channel, 65 536 in all. */
  readonly bounds?: LineBounds;
}

const BOUNDS: LineBounds = { maxWaitingPerChannel: 4096, maxUnderWay: 65_536 };

/** More precise than the clock of dates, which counts whole milliseconds. */
const nowMs = (): number => performance.timeOrigin + performance.now();

const unreachable = (cause: unknown): never => {
  throw new ServiceError('service_unavailable', { cause });
};

/** An event that is stored before it is sent. */
interface LastPublication {
  readonly publication: Publication;
  readonly event: LiveEvent;
}

/** Publishes what nothing durable is kept of. The frame is encoded once, whoever subscribes. */
export class LivePublisher implements Publisher {
  readonly #lines: ChannelLines<LastPublication>;

  constructor(private readonly parts: LivePublisherParts) {
    this.#lines = new ChannelLines(
      {
        keep: (last) => this.#keep(last),
        send: ({ event }) => parts.fabric.publish(event)?.catch(unreachable),
      },
      parts.bounds ?? BOUNDS,
    );
  }

  /** An event of a cache channel that cannot be stored is sent all the same. */
  publish(publication: Publication): Receipt | Promise<Receipt> {
    const event = eventOf(publication);
    const receipt = (): Receipt => ({ messageId: publication.messageId ?? event.messageId });
    if (publication.isLastEvent) {
      const { appId, channel } = publication;
      return this.#lines.pass(`${appId} ${channel}`, { publication, event }).then(receipt);
    }
    return this.parts.fabric.publish(event)?.then(receipt, unreachable) ?? receipt();
  }

  /** Never throws. */
  announce(appId: string, channel: string, frame: OutboundFrame, exceptSocketId: string | null): void {
    const lost = (error: unknown): void =>
      this.parts.log.warn('frame not sent to other processes', { app_id: appId, channel, error });
    try {
      this.parts.fabric
        .publish({
          messageId: randomUUID(),
          appId,
          channel,
          frameText: encodeV1(frame),
          exceptSocketId,
          publishedAtMs: nowMs(),
        })
        ?.catch(lost);
    } catch (error) {
      lost(error);
    }
  }

  async #keep({ publication, event: { messageId } }: LastPublication): Promise<boolean> {
    const { appId, channel, event, dataText } = publication;
    try {
      await this.parts.lastEvents.keep(appId, { messageId, event, channel, dataText: dataText ?? 'null' });
      return true;
    } catch (error) {
      this.parts.log.warn('last event not stored', { app_id: appId, channel, error });
      return false;
    }
  }
}

/** The publisher's own id is shared by the channels it publishes to; whoever drops duplicates needs one per event. */
function eventOf(publication: Publication): LiveEvent {
  const { appId, channel, exceptSocketId, key } = publication;
  const forMs = key === null ? null : uniqueForMs(key);
  const messageId = key === null || forMs === null ? randomUUID() : eventIdOf(publication, key);
  const frameText = encodeV1(publication);
  const event = { messageId, appId, channel, frameText, exceptSocketId, publishedAtMs: nowMs() };
  return forMs === null ? event : { ...event, uniqueForMs: forMs };
}
