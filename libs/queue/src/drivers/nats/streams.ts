import type { ConsumerInfo, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Reliability } from '../../options.js';
import { natsQueueNames, type NatsQueueNames } from './names.js';
import { CONSUMER_EXISTS, hasCode, STREAM_EXISTS } from './session.js';

const NANOSECONDS = 1_000_000;
const UNLIMITED = -1;

/** The streams of a queue and the consumer that all its workers share. */
export interface QueueStreams {
  readonly names: NatsQueueNames;
  readonly consumer: ConsumerInfo;
}

/** Creates the streams of a queue and its consumer, once until something fails. */
export class StreamKeeper {
  readonly #known = new Map<string, Promise<QueueStreams>>();

  constructor(
    private readonly prefix: string,
    private readonly reliability: Reliability,
  ) {}

  of(queue: string, manager: JetStreamManager): Promise<QueueStreams> {
    const known = this.#known.get(queue);
    if (known !== undefined) return known;
    const created = this.#create(natsQueueNames(this.prefix, queue), manager);
    this.#known.set(queue, created);
    created.catch(() => this.forget(queue));
    return created;
  }

  forget(queue: string): void {
    this.#known.delete(queue);
  }

  async #create(names: NatsQueueNames, manager: JetStreamManager): Promise<QueueStreams> {
    const { stream, subject, deadStream, deadSubject } = names;
    await Promise.all([
      // A full stream refuses jobs; it does not discard stored ones.
      addStream(manager, { name: stream, subjects: [subject], retention: 'workqueue', discard: 'new' }),
      addStream(manager, {
        name: deadStream,
        subjects: [deadSubject],
        retention: 'limits',
        discard: 'old',
        max_msgs: Math.max(1, this.reliability.failed_retention),
      }),
    ]);
    return { names, consumer: await this.#addConsumer(names, manager) };
  }

  async #addConsumer({ stream, consumer }: NatsQueueNames, manager: JetStreamManager): Promise<ConsumerInfo> {
    const changeable = {
      ack_wait: this.reliability.lease_duration_ms * NANOSECONDS,
      // The driver buries a job after its last attempt.
      max_deliver: UNLIMITED,
      // Jobs that wait for their next attempt count too, and must not hold up the others.
      max_ack_pending: UNLIMITED,
    };
    try {
      return await manager.consumers.add(stream, {
        durable_name: consumer,
        deliver_policy: 'all',
        ack_policy: 'explicit',
        ...changeable,
      });
    } catch (error) {
      if (!hasCode(error, CONSUMER_EXISTS)) throw error;
      return manager.consumers.update(stream, consumer, changeable);
    }
  }
}

/** Leaves a stream that exists as its operator configured it. */
async function addStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<void> {
  try {
    await manager.streams.add({ storage: 'file', ...config });
  } catch (error) {
    if (!hasCode(error, STREAM_EXISTS)) throw error;
  }
}
