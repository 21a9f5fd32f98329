import { AiChannels } from '@carillon/history-ai';
import type { Config } from '@carillon/config';
import { errorText, type Logger, type Shutdown } from '@carillon/runtime';
import { NO_WEBHOOKS, type WebhookEvents } from '@carillon/webhooks';
import { systemClock } from '../clock.js';
import { type OrphanParts, Orphans } from '../writer/orphans.js';

const PART = 'idle streams';

export interface OrphanSurroundings extends Pick<OrphanParts, 'laneHere' | 'store'> {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  /** Undefined: this process sends no webhooks. */
  readonly webhooks: WebhookEvents | undefined;
}

/**
 * Creates the task that ends idle AI streams in this process and sends their webhooks; null if AI transport is off.
 * The owner of the lanes starts it, and stops it before releasing them.
 */
export function orphansOf(around: OrphanSurroundings): Orphans | null {
  const { config, log, shutdown, store, laneHere, webhooks = NO_WEBHOOKS } = around;
  const { ai_transport: ai, versioned_messages: versions, history } = config;
  if (!ai.enabled || !versions.enabled) return null;
  const channels = new AiChannels(ai);
  const window = versions.retention_window_seconds;
  const versions_ms = window === 0 ? null : Math.min(window * 1000, Number.MAX_SAFE_INTEGER);
  const orphans = new Orphans(
    {
      store,
      laneHere,
      clock: systemClock,
      orphaned: ({ appId: app_id, channel }, message_serial) => {
        log.info('a stream was ended that nobody went on with', { app_id, channel, message_serial });
        const reason = 'orphan_timeout';
        webhooks.emit(app_id, { name: 'ai_stream_orphaned', channel, message_serial, reason });
      },
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
  // Early, so that current work is mostly reported before webhooks are flushed. Not awaited: a drain must not be
  // delayed.
  shutdown.onShutdown('drain', PART, () => void orphans.stop());
  return orphans;
}
