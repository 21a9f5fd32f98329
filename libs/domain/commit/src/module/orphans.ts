import { AiChannels } from '@carillon/ai-transport';
import type { Config } from '@carillon/config';
import { errorText, type Logger } from '@carillon/runtime';
import { systemClock } from '../clock.js';
import { type OrphanParts, Orphans } from '../writer/orphans.js';

/** What ends idle streams in this process; null: there are none. Its life is that of whoever has the lanes. */
export function orphansOf(
  { ai_transport: ai, versioned_messages: versions, history }: Config,
  log: Logger,
  { store, laneHere }: Pick<OrphanParts, 'laneHere' | 'store'>,
): Orphans | null {
  if (!ai.enabled || !versions.enabled) return null;
  const channels = new AiChannels(ai);
  const window = versions.retention_window_seconds;
  const versions_ms = window === 0 ? null : Math.min(window * 1000, Number.MAX_SAFE_INTEGER);
  return new Orphans(
    {
      store,
      laneHere,
      clock: systemClock,
      orphaned: ({ appId: app_id, channel }, message_serial) =>
        log.info('a stream was ended that nobody went on with', { app_id, channel, message_serial }),
      failed: (error) =>
        log.warn('idle streams could not be ended', { error: errorText(error), retryable: true }),
    },
    {
      lanes: history.writer_shards,
      idleMs: ai.rollup.orphan_ttl_ms,
      everyMs: ai.rollup.wheel_tick_ms,
      policyOf: (channel) => ({
        history_ms: null,
        versions_ms,
        max_messages: null,
        max_bytes: null,
        versioned: true,
        cache: false,
        ai: channels.limitsOf(channel),
      }),
    },
  );
}
