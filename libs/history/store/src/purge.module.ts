import type { Config } from '@carillon/config';
import { errorText, provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Inject, Module } from '@nestjs/common';
import { StoreFailure } from './failures.js';
import { HISTORY_STORE, HistoryStoreModule, opensAtStart } from './module.js';
import type { DurableStore } from './port.js';
import { PurgeMetrics } from './purge-metrics.js';
import { PurgeWorker, type PurgeWorkerOptions } from './purge-worker.js';

const PURGE_WORKER = token<PurgeWorker>('purge worker');

const PART = 'history purge';
/** Time in which a record without an idempotency key is deduplicated by its receipt. */
const RECEIPT_MS = 600_000;

/** Versions are stored with the messages and go with them: the shorter interval and the larger bounds of both hold. */
function purgeOptions({
  history,
  presence_history: presence,
  versioned_messages: versions,
  idempotency,
}: Config): PurgeWorkerOptions {
  const used = versions.enabled ? [history, versions] : [history];
  const windows = [history, presence, ...(versions.enabled ? [versions] : [])];
  return {
    intervalMs: Math.min(...used.map((each) => each.purge_interval_seconds)) * 1000,
    batch: Math.max(...used.map((each) => each.purge_batch_size)),
    maxPerTick: Math.max(...used.map((each) => each.max_purge_per_tick)),
    receiptsKeptMs: Math.max(RECEIPT_MS, idempotency.ttl_seconds * 1000),
    windowMs: Math.max(...windows.map((each) => each.retention_window_seconds)) * 1000,
  };
}

interface Surroundings extends RuntimeParts {
  readonly store: DurableStore;
}

function makeWorker({ config, logging, metrics, startup, shutdown, store }: Surroundings): PurgeWorker {
  const log = logging.for('service::history');
  const numbers = new PurgeMetrics(metrics);
  const worker = new PurgeWorker(
    {
      store,
      now: Date.now,
      onEvicted: (evicted) => numbers.evicted(evicted),
      onSurvey: (survey) => numbers.survey(survey),
      onFailure: (error) => log.warn('a purge failed', { error: errorText(error), retryable: true }),
    },
    purgeOptions(config),
  );
  // Without history of all apps the store is opened by its first use; until then there is nothing to purge.
  startup.needs({
    name: PART,
    connect: async () => {
      if (opensAtStart(config)) await store.connect();
      worker.start();
    },
    isFinal: (error) => !(error instanceof StoreFailure && error.transient),
  });
  shutdown.onShutdown('flush', PART, () => worker.stop());
  return worker;
}

/** Runs the purge of the history store: for every process that writes to it. Needs `RuntimeModule`. */
@Module({
  imports: [HistoryStoreModule],
  providers: [provider(PURGE_WORKER, { ...RUNTIME, store: HISTORY_STORE }, makeWorker)],
})
export class PurgeModule {
  /** Injects the worker so that it is instantiated. */
  constructor(@Inject(PURGE_WORKER) _worker: PurgeWorker) {}
}
