import type { IncomingMessage, PulsarConsumer } from '@carillon/pulsar';
import type { PulsarQueueNames } from './names.js';
import type { PulsarQueueSession } from './session.js';

/**
 * Received messages of one queue. Permits bound deliveries to the room of the worker; everything
 * else stays available to other processes.
 */
export class PulsarReceiver {
  readonly #buffer: IncomingMessage[] = [];
  #consumer: PulsarConsumer | null = null;
  #permits = 0;
  #isOver = false;

  private constructor(private readonly session: PulsarQueueSession) {}

  static async open(
    session: PulsarQueueSession,
    { topic, subscription }: PulsarQueueNames,
    onReceived: () => void,
  ): Promise<PulsarReceiver> {
    const receiver = new PulsarReceiver(session);
    receiver.#consumer = await session.subscribe({
      topic,
      subscription,
      type: 'Shared',
      maxUnacknowledged: null,
      onMessage: (message) => {
        receiver.#permits -= 1;
        receiver.#buffer.push(message);
        onReceived();
      },
    });
    return receiver;
  }

  get hasSome(): boolean {
    return this.#buffer.length > 0;
  }

  /** Returns at most `limit` messages and requests the rest. */
  take(limit: number): readonly IncomingMessage[] {
    if (this.#isOver) return [];
    const taken = this.#buffer.splice(0, limit);
    const missing = limit - taken.length - this.#buffer.length - this.#permits;
    if (missing > 0) {
      this.#permits += missing;
      this.#consumer?.permit(missing);
    }
    return taken;
  }

  /** Uses the consumer that received the message: its close would return a message that another one acknowledged. */
  acknowledge({ id }: IncomingMessage): void {
    this.#consumer?.acknowledge(id);
  }

  /** Resolves when acknowledged messages cannot be delivered again. */
  async acknowledged(): Promise<void> {
    await this.#consumer?.acknowledged();
  }

  /** Returns all messages that were not acknowledged to the broker. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#buffer.length = 0;
    if (this.#consumer !== null) await this.session.unsubscribe(this.#consumer);
  }
}
