import type { Config } from '@carillon/config';
import type { HistoryHealth, HistoryHealthSource, Metrics } from '@carillon/runtime';

const OFF = { enabled: false, backend: 'disabled', state_authority: 'disabled' } as const;

/** Health of channel histories as known to this process, for its gauges. */
export function historyHealth(config: Config, metrics: Metrics): HistoryHealthSource {
  const { history, presence_history: presence } = config;
  // Without history, that of presence is in memory alone.
  const backend = history.enabled ? history.backend : 'memory';
  const on = {
    enabled: true,
    backend,
    state_authority: backend === 'memory' ? 'in_memory' : 'durable_store',
  } as const;
  return {
    history: (): HistoryHealth => {
      const resetRequired = metrics.total('history_reset_required_channels');
      return {
        ...(history.enabled ? on : OFF),
        degraded_channels: metrics.total('history_degraded_channels') + resetRequired,
        reset_required_channels: resetRequired,
        queue_depth: metrics.total('history_queue_depth'),
      };
    },
    presenceHistory: (): HistoryHealth => {
      const resetRequired = metrics.total('presence_history_reset_required_channels');
      return {
        ...(presence.enabled ? on : OFF),
        degraded_channels: metrics.total('presence_history_degraded_channels') + resetRequired,
        reset_required_channels: resetRequired,
        queue_depth: metrics.total('presence_history_queue_depth'),
      };
    },
  };
}
