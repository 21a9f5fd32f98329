import { topicPath } from './address.js';
import type { PulsarClientOptions } from './client-options.js';
import { PulsarSocket } from './socket.js';

/** A message as the broker delivers it. */
export interface IncomingMessage {
  readonly id: string;
  readonly payload: Buffer;
  readonly properties: Readonly<Record<string, string>>;
  /** Negative acknowledgements before; the broker does not count consumers that died. */
  readonly redeliveryCount: number;
  readonly publishedAtMs: number;
}

export interface ConsumerOptions extends PulsarClientOptions {
  readonly topic: string;
  readonly subscription: string;
  readonly type: 'Exclusive' | 'Shared';
  /** `NonDurable`: the broker removes the subscription with its last consumer, however that ended. */
  readonly mode: 'Durable' | 'NonDurable';
  /** Position of a subscription that this consumer creates. */
  readonly from: 'Earliest' | 'Latest';
  /**
   * Limit of unacknowledged deliveries. Null: as many as `permit` has requested; the broker keeps the others for
   * other consumers.
   */
  readonly maxUnacknowledged: number | null;
  readonly onMessage: (message: IncomingMessage) => void;
  /** Called once when the consumer cannot continue. */
  readonly onLost: (reason: string) => void;
}

/** Consumer of one topic in one subscription. Unacknowledged messages go to other consumers when it ends. */
export class PulsarConsumer {
  private constructor(private readonly socket: PulsarSocket) {}

  /** Resolves when the subscription exists and this consumer is part of it. */
  static async open(options: ConsumerOptions): Promise<PulsarConsumer> {
    const { address, token, block, timeoutMs, topic, subscription, onMessage, onLost } = options;
    const query = new URLSearchParams({
      subscriptionType: options.type,
      subscriptionMode: options.mode,
      subscriptionInitialPosition: options.from,
      receiverQueueSize: String(options.maxUnacknowledged ?? 0),
      negativeAckRedeliveryDelay: '0',
      ...(options.maxUnacknowledged === null ? { pullMode: 'true' } : {}),
    });
    const path = `${topicPath(topic)}/${encodeURIComponent(subscription)}`;
    const socket = await PulsarSocket.open({
      url: `${address.base}/ws/v2/consumer/${path}?${query.toString()}`,
      token,
      block,
      timeoutMs,
      onFrame: (frame) => {
        const message = messageOf(frame);
        if (message !== null) onMessage(message);
      },
      onLost,
    });
    return new PulsarConsumer(socket);
  }

  get isOver(): boolean {
    return this.socket.isOver;
  }

  /** Requests `count` further messages. */
  permit(count: number): void {
    if (count > 0) this.socket.send({ type: 'permit', permitMessages: count });
  }

  /** Takes any message of the subscription, also one that another consumer received. The broker confirms nothing. */
  acknowledge(id: string): void {
    this.socket.send({ messageId: id });
  }

  /** Resolves when the API has received all acknowledgements, or the connection is over. */
  async acknowledged(): Promise<void> {
    await this.socket.confirm();
  }

  /** Closes and leaves the subscription as it is, if it is durable. Idempotent. */
  async close(): Promise<void> {
    await this.socket.close();
  }
}

/** Null: the frame is no message. */
function messageOf(frame: Readonly<Record<string, unknown>>): IncomingMessage | null {
  const { messageId, payload, properties, redeliveryCount, publishTime } = frame;
  if (typeof messageId !== 'string' || typeof payload !== 'string') return null;
  return {
    id: messageId,
    payload: Buffer.from(payload, 'base64'),
    properties: (properties ?? {}) as Readonly<Record<string, string>>,
    redeliveryCount: typeof redeliveryCount === 'number' ? redeliveryCount : 0,
    publishedAtMs: typeof publishTime === 'string' ? Date.parse(publishTime) : Date.now(),
  };
}
