import type { Channel, ConsumeMessage } from 'amqplib';

/** Unacknowledged deliveries of one queue to this process; they are redelivered when the connection ends. */
export class RabbitConsumer {
  #tag = '';
  readonly #came: ConsumeMessage[] = [];

  constructor(
    private readonly channel: Channel,
    private readonly onCome: () => void,
    private readonly onGone: () => void,
  ) {}

  async begin(queue: string, prefetch: number): Promise<void> {
    await this.channel.prefetch(prefetch);
    const { consumerTag } = await this.channel.consume(queue, (message) => {
      if (message === null) this.onGone();
      else {
        this.#came.push(message);
        this.onCome();
      }
    });
    this.#tag = consumerTag;
  }

  get hasSome(): boolean {
    return this.#came.length > 0;
  }

  take(limit: number): readonly ConsumeMessage[] {
    return this.#came.splice(0, limit);
  }

  /** Sent with the next write; the broker does not confirm it. */
  acknowledge(message: ConsumeMessage): void {
    this.channel.ack(message);
  }

  /** Puts it back where it was, marked as handed out. */
  requeue(message: ConsumeMessage): void {
    this.channel.nack(message, false, true);
  }

  /** Stops deliveries; received ones can still be settled. */
  async cancel(): Promise<void> {
    await this.channel.cancel(this.#tag);
  }
}
