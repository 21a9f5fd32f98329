/** A message of a stream. */
export interface ReceivedMessage {
  /** Null: a tombstone. */
  readonly payload: Uint8Array | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | null;
  readonly topic: string;
  /** Stable over redeliveries; part of the idempotency key. */
  readonly position: string;
  /** Position for people: `topic/partition/offset`, `stream/sequence`, an entry id. */
  readonly origin: string;
  /** Unix time in ms. */
  readonly atMs: number;
}

/** A dead letter as it is stored beside the payload and the key of its message. */
export interface DeadLetter {
  readonly message: ReceivedMessage;
  /** The headers of the message and those of the failure. */
  readonly headers: Readonly<Record<string, string>>;
}

const LONGEST_REASON_BYTES = 512;

/** The dead letter of a message that cannot be published. */
export function deadLetterOf(
  source: string,
  message: ReceivedMessage,
  failure: { readonly code: string; readonly reason: string; readonly attempts: number },
): DeadLetter {
  const reason = Buffer.from(failure.reason.replaceAll(/[\r\n]+/g, ' '))
    .subarray(0, LONGEST_REASON_BYTES)
    .toString();
  return {
    message,
    headers: {
      ...message.headers,
      'x-service-error-code': failure.code,
      'x-service-error': reason.replaceAll('\ufffd', ''),
      'x-service-source': source,
      'x-service-origin': message.origin,
      'x-service-attempts': String(failure.attempts),
      'x-service-failed-at': String(Date.now()),
    },
  };
}
