import type { CommitRecord, CommitResult } from '@carillon/contracts';
import { errorText, type Logger, type Metrics } from '@carillon/runtime';
import type { LaneEvents } from '../lane/loop-parts.js';
import { LivingMetrics } from './living-metrics.js';

/** Metrics and logs of lanes. */
export function laneEvents(metrics: Metrics, log: Logger): LaneEvents {
  const batches = metrics.counter('commit_batches_total').for();
  const records = metrics.histogram('commit_batch_records').for();
  const transaction = metrics.histogram('commit_transaction_ms').for();
  const wait = metrics.histogram('commit_queue_wait_ms').for();
  const retries = metrics.counter('commit_retries_total');
  const results = metrics.counter('commit_results_total');
  const lag = metrics.histogram('fanout_lag_ms').for();
  const resent = metrics.counter('fanout_resent_total').for();
  const apps = appMetrics(metrics);
  const living = new LivingMetrics(metrics);
  return {
    arrived: apps.arrived,
    waited: (ms) => wait.observe(ms),
    answered: (record, result, afterMs) => {
      results.for({ status: result.status }).add();
      apps.answered(record, result, afterMs);
      living.answered(record, result);
    },
    committed: (count, transactionMs) => {
      batches.add();
      records.observe(count);
      transaction.observe(transactionMs);
    },
    retried: (cause) => {
      retries.for({ cause }).add();
      log.warn('a batch was not taken and is tried again', { cause, retryable: true });
    },
    recordFailed: (error) => log.error('a record cannot be stored', { error: errorText(error) }),
    handedOver: (_, afterMs) => lag.observe(afterMs),
    resent: (count) => resent.add(count),
    handOverFailed: (error) =>
      log.warn('committed records were not handed over yet', { error: errorText(error), retryable: true }),
  };
}

/** Metrics by app: message and presence writes. */
function appMetrics(metrics: Metrics): Pick<LaneEvents, 'answered' | 'arrived'> {
  const messages = {
    writes: metrics.counter('history_writes_total'),
    failures: metrics.counter('history_write_failures_total'),
    latency: metrics.histogram('history_write_latency_ms'),
    depth: metrics.gauge('history_queue_depth'),
  };
  const presence = {
    writes: metrics.counter('presence_history_writes_total'),
    failures: metrics.counter('presence_history_write_failures_total'),
    latency: metrics.histogram('presence_history_write_latency_ms'),
    depth: metrics.gauge('presence_history_queue_depth'),
  };
  const of = ({ op }: CommitRecord): typeof messages | typeof presence =>
    op === 'presence' ? presence : messages;
  return {
    arrived: (record) => of(record).depth.for({ app_id: record.app_id }).add(),
    answered: (record, result, afterMs) => {
      const { app_id } = record;
      const { writes, failures, latency, depth } = of(record);
      depth.for({ app_id }).subtract();
      if (result.status === 'applied') {
        writes.for({ app_id }).add();
        latency.for({ app_id }).observe(afterMs);
      } else if (isFailure(result)) failures.for({ app_id }).add();
    },
  };
}

const isFailure = ({ status, http_status: code }: CommitResult): boolean =>
  status === 'expired' || (status === 'rejected' && (code ?? 500) >= 500);
