import { ServiceError } from '@carillon/errors';
import type { Replay, StreamPosition } from '@carillon/history-positions';
import type { Metrics } from '@carillon/runtime';
import { uniqueForMs } from './identity.js';
import { eventOf, type LiveMessage, type LivePublisher } from './live-publisher.js';
import type { KeptForReplay, Publication, Receipt } from './publication.js';
import { writeSequenced } from './sequenced-entry.js';

/** Dependencies of a `SequencedPublisher`. */
export interface SequencedPublisherParts {
  readonly replay: Pick<Replay, 'append'>;
  readonly live: Pick<LivePublisher, 'send'>;
  readonly metrics: Pick<Metrics, 'histogram'>;
}

/**
 * Publishes events of recoverable channels without history: each is assigned a serial in the stream of its channel
 * and fanned out with it. An event without a serial is not sent, since it would be a silent gap.
 */
export class SequencedPublisher {
  readonly #tookMs: { observe(value: number): void };

  constructor(private readonly parts: SequencedPublisherParts) {
    this.#tookMs = parts.metrics.histogram('sequencer_ms').for();
  }

  /**
   * At once when the sequencer is. Rejects with `service_unavailable` when the place could not be had, or others could
   * not be reached; then it may be replayed all the same, once.
   */
  publish(publication: Publication, bounds: KeptForReplay): Receipt | Promise<Receipt> {
    const event = eventOf(publication);
    const { appId, channel, key } = publication;
    const forMs = key === null ? null : uniqueForMs(key);
    const once = forMs === null ? null : { id: event.eventId, forMs };
    const beganMs = performance.now();
    const place = { appId, channel };
    const taken = this.parts.replay.append({ place, text: writeSequenced(event), bounds, once });
    if (!(taken instanceof Promise)) return this.#send(event, taken, publication);
    return taken.then((position) => {
      this.#tookMs.observe(performance.now() - beganMs);
      return this.#send(event, position, publication);
    }, refuse);
  }

  #send(event: LiveMessage, position: StreamPosition, publication: Publication): Receipt | Promise<Receipt> {
    return this.parts.live.send({ ...event, fact: { ...event.fact, ...position } }, publication);
  }
}

const refuse = (cause: unknown): never => {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError('service_unavailable', { text: 'the order of the channel cannot be told', cause });
};
