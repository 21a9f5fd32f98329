import { AiChannels } from '@carillon/history-ai';
import type { Config } from '@carillon/config';
import type { StreamReads } from '../durable/stream-reads.js';
import { FlushWheel } from './flush-wheel.js';
import type { AppendWays } from './append-throttle.js';
import { textAt } from './text-at.js';

/** Limit of cached whole texts per channel, in bytes. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;
/** Limit of held-back fragments per channel and pace, in bytes. */
const MAX_PENDING_BYTES = 256 * 1024;

const nowMs = (): number => performance.now();

export const flushWheel = ({ ai_transport: { rollup } }: Config): FlushWheel =>
  new FlushWheel({ tickMs: rollup.wheel_tick_ms, shards: rollup.shards, nowMs });

/** Returns the append delivery settings of this process. */
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
    text: (appId, channel, messageSerial, serial) =>
      reads === null
        ? Promise.resolve(null)
        : textAt(reads, { appId, channel, kind: 'messages' }, messageSerial, serial),
    onTrouble,
  };
}
