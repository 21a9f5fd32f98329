import { AiChannels } from '@carillon/ai-transport';
import type { Config } from '@carillon/config';
import { streamName, type StreamAddress } from '@carillon/history-store';
import type { StreamReads } from '../durable/stream-reads.js';
import { FlushWheel } from './flush-wheel.js';
import type { AppendWays } from './pacing.js';
import { type Text, textOf } from './wholes.js';

/** Texts that are kept for those who want wholes, for one channel. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;
/** Pieces that are held back in one channel for those of one pace. */
const MAX_PENDING_BYTES = 256 * 1024;

const nowMs = (): number => performance.now();

export const flushWheel = ({ ai_transport: { rollup } }: Config): FlushWheel =>
  new FlushWheel({ tickMs: rollup.wheel_tick_ms, shards: rollup.shards, nowMs });

/** How appends are told in this process. */
export function appendWays(
  { ai_transport }: Config,
  reads: StreamReads | null,
  wheel: FlushWheel,
  onTrouble: (what: string, error: unknown) => void,
): AppendWays {
  const { rollup, max_open_streaming_messages_per_channel: maxStreams } = ai_transport;
  const ai = new AiChannels(ai_transport);
  return {
    isRolledUp: (channel) => rollup.enabled && ai.has(channel),
    limits: { maxStreams, orphanTtlMs: rollup.orphan_ttl_ms, maxPendingBytes: MAX_PENDING_BYTES },
    maxWholeBytes: MAX_WHOLE_BYTES,
    wheel,
    nowMs,
    text: (appId, channel, messageSerial) =>
      reads === null
        ? Promise.resolve(null)
        : readText(reads, { appId, channel, kind: 'messages' }, messageSerial),
    onTrouble,
  };
}

async function readText(
  reads: StreamReads,
  address: StreamAddress,
  messageSerial: string,
): Promise<Text | null> {
  const stream = (await reads.heads([address])).get(streamName(address));
  if (stream === undefined) return null;
  const { streamKey, generation, floorMessageSerial } = stream;
  const query = { streamKey, generation, floorMessageSerial, nowMs: Date.now() };
  const [message] = await reads.messages({ ...query, messageSerials: [messageSerial] });
  return message === undefined ? null : textOf(message.data?.text ?? null, message.deliverySerial);
}
