import { ServiceError } from '@carillon/errors';
import type { OutboundFrame } from '@carillon/protocol';
import type { DurablePublisher } from './durable-publisher.js';
import type { LivePublisher } from './live-publisher.js';
import type { Publisher } from './port.js';
import type { Publication, Receipt } from './publication.js';

/** Lets every event go the way its channel has: through the history where there is one, else straight on. */
export class ChannelPublisher implements Publisher {
  constructor(
    private readonly live: LivePublisher,
    /** Null: this process cannot commit. */
    private readonly durable: DurablePublisher | null,
  ) {}

  publish(publication: Publication): Receipt | Promise<Receipt> {
    const { history } = publication;
    if (history === null) return this.live.publish(publication);
    if (this.durable !== null) return this.durable.publish(publication, history);
    return Promise.reject(
      new ServiceError('service_unavailable', { text: 'this process has no way to the history' }),
    );
  }

  announce(appId: string, channel: string, frame: OutboundFrame, exceptSocketId: string | null): void {
    this.live.announce(appId, channel, frame, exceptSocketId);
  }
}
