import type { Reliability } from '../../options.js';
import { isError, type JetStream, STREAM_EXISTS } from './jetstream.js';
import { natsQueueNames, type NatsQueueNames } from './names.js';

const NANOSECONDS = 1_000_000;
const UNLIMITED = -1;

/** Sees to it that the streams of a queue and its consumer exist, once as long as nothing fails. */
export class StreamKeeper {
  readonly #known = new Map<string, Promise<NatsQueueNames>>();

  constructor(
    private readonly jetStream: JetStream,
    private readonly prefix: string,
    private readonly reliability: Reliability,
  ) {}

  /** Where the queue is, all of it being there. */
  of(queue: string): Promise<NatsQueueNames> {
    const known = this.#known.get(queue);
    if (known !== undefined) return known;
    const made = this.#make(natsQueueNames(this.prefix, queue));
    this.#known.set(queue, made);
    made.catch(() => this.forget(queue));
    return made;
  }

  forget(queue: string): void {
    this.#known.delete(queue);
  }

  async #make(names: NatsQueueNames): Promise<NatsQueueNames> {
    const { stream, subject, deadStream, deadSubject, consumer } = names;
    const { failed_retention: kept, lease_duration_ms: leaseMs } = this.reliability;
    await Promise.all([
      // A stream that is full refuses; what it holds is not pushed out.
      this.#stream(stream, { subjects: [subject], retention: 'workqueue', discard: 'new' }),
      this.#stream(deadStream, {
        subjects: [deadSubject],
        retention: 'limits',
        discard: 'old',
        max_msgs: Math.max(1, kept),
      }),
    ]);
    await this.jetStream.api(`CONSUMER.DURABLE.CREATE.${stream}.${consumer}`, {
      stream_name: stream,
      config: {
        durable_name: consumer,
        deliver_policy: 'all',
        ack_policy: 'explicit',
        ack_wait: leaseMs * NANOSECONDS,
        // The last attempt and what comes after it are ours to tell.
        max_deliver: UNLIMITED,
        // What waits for its next attempt counts too, and must not hold up the rest.
        max_ack_pending: UNLIMITED,
      },
    });
    return names;
  }

  /** One that exists stays as its operator made it. */
  async #stream(name: string, config: object): Promise<void> {
    try {
      await this.jetStream.api(`STREAM.CREATE.${name}`, { name, storage: 'file', ...config });
    } catch (error) {
      if (!isError(error, STREAM_EXISTS)) throw error;
    }
  }
}
