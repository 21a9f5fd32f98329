import type { Connection } from '@carillon/nats';
import {
  JetStreamApiError,
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { BatchIncomplete, InvalidJob, QueueFull, QueueUnavailable } from '../../failures.js';

/** A connection and the JetStream clients on it. */
export interface JetStreamSession {
  readonly connection: Connection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** Builds the clients without a request to the server. */
export async function jetStreamSession(connection: Connection, timeout: number): Promise<JetStreamSession> {
  const client = jetstream(connection.client, { timeout });
  return { connection, client, manager: await client.jetstreamManager(false) };
}

/** Error codes of JetStream. */
export const CONSUMER_EXISTS = 10148;
export const NOT_FOUND: readonly number[] = [10037, 10043, 10057];
export const STREAM_EXISTS = 10058;
const FULL: readonly number[] = [10047, 10077, 10122, 10166];
const TOO_LARGE: readonly number[] = [10054, 10083];

/** Types of errors that callers of the queue know. */
const OWN = [BatchIncomplete, InvalidJob, QueueFull, QueueUnavailable];

export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof JetStreamApiError && codes.includes(error.code);

/** Converts an error of the client to `QueueFull`, `InvalidJob` or `QueueUnavailable`. */
export function failureOf(error: unknown): Error {
  if (!(error instanceof Error)) return new QueueUnavailable('refused by the server');
  if (OWN.some((type) => error instanceof type)) return error;
  if (hasCode(error, ...FULL)) return new QueueFull(null);
  if (hasCode(error, ...TOO_LARGE)) return new InvalidJob(error.message);
  // The client exports neither type. It checks the size of a message before it sends it.
  if (error.name === 'InvalidArgumentError') return new InvalidJob(error.message);
  return new QueueUnavailable(
    error.name === 'JetStreamNotEnabled'
      ? 'no answer from JetStream: it is disabled, or the stream of the queue was deleted'
      : error.message,
    { cause: error },
  );
}

/**
 * Resolves when the message is stored. Within the duplicate window of the stream (2 minutes unless its operator changed
 * it), a message with the `messageId` of an earlier one is not stored again. Rejects as `failureOf`.
 */
export async function publish(
  { client }: JetStreamSession,
  subject: string,
  text: string,
  messageId?: string,
): Promise<void> {
  try {
    await client.publish(subject, text, messageId === undefined ? {} : { msgID: messageId });
  } catch (error) {
    throw failureOf(error);
  }
}
