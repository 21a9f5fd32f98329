import type { IggyClient } from './client.js';
import { IggyRefused } from './failures.js';

/** One partition of a topic. */
export interface PartitionAddress {
  readonly stream: string;
  readonly topic: string;
  readonly partition: number;
}

export interface PolledMessage {
  readonly offset: number;
  /** When the server stored it. */
  readonly timestampMs: number;
  readonly payload: Buffer;
}

export interface Polled {
  readonly messages: readonly PolledMessage[];
  /** Offset of the newest message; 0 also if the partition is empty. */
  readonly currentOffset: number;
}

export interface PollOptions {
  readonly consumer: string;
  readonly kind: 'last' | 'offset';
  /** First offset, for `offset`. */
  readonly value?: number;
  readonly count: number;
  /** Stores the offset of the last message of the batch. */
  readonly autoCommit: boolean;
}

/**
 * Largest payload of one message, and of one batch: servers take requests of 2 MB by default
 * (`http.max_request_size`), with the payloads in Base64.
 */
export const MAX_BATCH_BYTES = 1_000_000;
const NOT_FOUND = 404;
const MICROSECONDS = 1000;
const PARTITION_BYTES = 4;

const pathOf = ({ stream, topic }: PartitionAddress): string =>
  `/streams/${encodeURIComponent(stream)}/topics/${encodeURIComponent(topic)}`;

/** Appends messages to a partition, in order. */
export async function sendMessages(
  client: IggyClient,
  address: PartitionAddress,
  payloads: readonly Buffer[],
): Promise<void> {
  const partition = Buffer.alloc(PARTITION_BYTES);
  partition.writeUInt32LE(address.partition);
  const body = {
    partitioning: { kind: 'partition_id', value: partition.toString('base64') },
    // With id 0 the server makes one.
    messages: payloads.map((payload) => ({ id: 0, payload: payload.toString('base64') })),
  };
  await client.request('POST', `${pathOf(address)}/messages`, JSON.stringify(body));
}

export async function pollMessages(
  client: IggyClient,
  address: PartitionAddress,
  { consumer, kind, value = 0, count, autoCommit }: PollOptions,
): Promise<Polled> {
  const query = new URLSearchParams({
    consumer_id: consumer,
    partition_id: String(address.partition),
    kind,
    value: String(value),
    count: String(count),
    auto_commit: String(autoCommit),
  });
  const { messages, current_offset } = await client.request(
    'GET',
    `${pathOf(address)}/messages?${query.toString()}`,
  );
  return {
    messages: Array.isArray(messages) ? messages.map(messageOf) : [],
    currentOffset: Number(current_offset ?? 0),
  };
}

/** Offset behind the newest message. */
export async function endOf(
  client: IggyClient,
  address: PartitionAddress,
  consumer: string,
): Promise<number> {
  const { messages } = await pollMessages(client, address, {
    consumer,
    kind: 'last',
    count: 1,
    autoCommit: false,
  });
  const [last] = messages;
  return last === undefined ? 0 : last.offset + 1;
}

/** Null: the consumer has stored none. */
export async function storedOffset(
  client: IggyClient,
  address: PartitionAddress,
  consumer: string,
): Promise<number | null> {
  const query = new URLSearchParams({ consumer_id: consumer, partition_id: String(address.partition) });
  try {
    const { stored_offset } = await client.request(
      'GET',
      `${pathOf(address)}/consumer-offsets?${query.toString()}`,
    );
    return typeof stored_offset === 'number' ? stored_offset : null;
  } catch (error) {
    if (error instanceof IggyRefused && error.status === NOT_FOUND) return null;
    throw error;
  }
}

export async function storeOffset(
  client: IggyClient,
  address: PartitionAddress,
  consumer: string,
  offset: number,
): Promise<void> {
  const body = JSON.stringify({ consumer_id: consumer, partition_id: address.partition, offset });
  await client.request('PUT', `${pathOf(address)}/consumer-offsets`, body);
}

/** Servers before 0.5 have the fields of the header in the message itself. */
function messageOf(value: unknown): PolledMessage {
  const message = value as { header?: Record<string, unknown>; payload?: string | null };
  const header = message.header ?? (value as Record<string, unknown>);
  return {
    offset: Number(header['offset']),
    timestampMs: Math.floor(Number(header['timestamp']) / MICROSECONDS),
    payload: Buffer.from(message.payload ?? '', 'base64'),
  };
}
