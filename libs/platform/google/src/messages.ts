import type { protos } from '@google-cloud/pubsub';

/** A message to publish. Messages with the same ordering key are delivered in the order of publishing. */
export interface OutgoingMessage {
  readonly text: string;
  /** Absent: unordered. */
  readonly orderingKey?: string;
  /** Absent: none. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A delivery, to be acknowledged by its `ackId`. */
export interface IncomingMessage {
  readonly ackId: string;
  readonly messageId: string;
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
  readonly publishedAtMs: number;
  /** Deliveries including this one; 0 if the subscription has no dead-letter policy. */
  readonly attempt: number;
}

export type RawMessage = protos.google.pubsub.v1.IReceivedMessage;

/** Reads a delivery as the library decodes it. */
export function incoming({ ackId, message, deliveryAttempt }: RawMessage): IncomingMessage {
  const { data, attributes, messageId, publishTime } = message ?? {};
  const { seconds, nanos } = publishTime ?? {};
  return {
    ackId: ackId ?? '',
    messageId: messageId ?? '',
    data: typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data ?? []),
    attributes: attributes ?? {},
    publishedAtMs: Number(seconds ?? 0) * 1000 + Math.floor((nanos ?? 0) / 1_000_000),
    attempt: deliveryAttempt ?? 0,
  };
}
