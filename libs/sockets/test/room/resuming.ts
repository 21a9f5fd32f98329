import type { WireFormat } from '@carillon/protocol';
import { ClientV2, type ToldFrame } from './client-v2.js';
import type { Room } from './room.js';

export const RECOVERY = { CONNECTION_RECOVERY_ENABLED: 'true' };
export const SUCCEEDED = 'service_internal:subscription_succeeded';

interface Outcome {
  readonly recovered: readonly {
    channel: string;
    source: string;
    replayed: number;
    position: { stream_id: string; serial: number; last_message_id?: string };
  }[];
  readonly failed: readonly Record<string, unknown>[];
}

export const outcomeOf = (client: ClientV2, frame: ToldFrame): Outcome =>
  JSON.parse(client.text(frame)) as Outcome;

/** Frames of a client in short. */
export const told = (frames: readonly ToldFrame[]): string[] =>
  frames.flatMap(({ event, messageId, serial }) => {
    if (event === 'news' || event.startsWith('client-')) return `${messageId} ${serial}`;
    return event.startsWith('service:resume') ? event.slice('service:'.length) : [];
  });

/** A client that has the channel, and where it stood then. */
export async function joined(room: Room, channel: string, format: WireFormat = 'json', more: object = {}) {
  const client = await ClientV2.connect(room.port, format);
  client.subscribe(channel, more);
  const { streamId, serial } = await client.until(SUCCEEDED);
  return { client, streamId, serial: serial ?? 0 };
}

export const publish = (room: Room, channel: string, ...ids: string[]): void => {
  for (const messageId of ids) void room.publish(channel, messageId, { messageId });
};
