import { ServiceError } from '@carillon/errors';
import type { DurablePublication, DurablePublisher } from './durable-publisher.js';
import type { LivePublisher } from './live-publisher.js';
import type { BatchPublisher } from './port.js';
import type { Publication, Receipt } from './publication.js';
import type { SequencedPublisher } from './sequenced-publisher.js';

/**
 * Routes a publication by channel policy: durable → `DurablePublisher` (commit, then fan-out); recoverable →
 * `SequencedPublisher` (assign a serial, then fan-out); otherwise `LivePublisher` (fan-out only).
 */
export class ChannelPublisher implements BatchPublisher {
  constructor(
    private readonly live: LivePublisher,
    /** Null: this process cannot commit. */
    private readonly durable: DurablePublisher | null,
    /** Null: this process cannot assign serials. */
    private readonly sequenced: SequencedPublisher | null = null,
    /** Something of the app was published that is for sockets connected now only. Must not throw. */
    private readonly onEphemeral: (appId: string) => void = () => {},
    /** So many messages of the app are published. Must not throw. */
    private readonly onPublish: (appId: string, count: number) => void = () => {},
  ) {}

  publish(publication: Publication): Receipt | Promise<Receipt> {
    const { history, replay = null } = publication;
    this.onPublish(publication.appId, 1);
    if (publication.isEphemeral === true) this.onEphemeral(publication.appId);
    if (history !== null) {
      if (this.durable !== null) return this.durable.publish(publication, history);
    } else if (replay === null) return this.live.publish(publication);
    else if (this.sequenced !== null) return this.sequenced.publish(publication, replay);
    return Promise.reject(noWay());
  }

  async publishSeries(publications: readonly Publication[]): Promise<readonly Receipt[]> {
    if (!publications.every(isDurable)) throw new Error('a series is of channels with a history');
    if (this.durable === null) throw noWay();
    for (const { appId } of publications) this.onPublish(appId, 1);
    return this.durable.publishSeries(publications);
  }
}

const isDurable = (publication: Publication): publication is DurablePublication =>
  publication.history !== null;

const noWay = (): ServiceError =>
  new ServiceError('service_unavailable', { text: 'this process has no way to the stream of the channel' });
