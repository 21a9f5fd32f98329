import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import { OPERATIONS } from '@carillon/api-operations';
import { PUSH_OPERATIONS } from '@carillon/push-core';
import {
  optional,
  pause,
  type ProcessState,
  provider,
  RUNTIME,
  type Shutdown,
  token,
} from '@carillon/runtime';
import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Ingest } from './ingest.js';

const INGEST = token<Ingest>('ingest');
const POLL_MS = 20;

/**
 * Reads the configured sources. Needs `RuntimeModule` and the modules of the app registry and the operations; push is
 * published if its module exists.
 */
@Module({
  providers: [
    provider(
      INGEST,
      {
        ...RUNTIME,
        apps: APP_REGISTRY,
        cache: CACHE,
        operations: OPERATIONS,
        push: optional(PUSH_OPERATIONS),
      },
      ({ config, metrics, logging, health, apps, cache, operations, push }) => {
        const log = logging.for('service::ingest');
        const { sources } = config.ingest;
        const ingest = new Ingest({
          sources,
          config,
          apps,
          operations,
          leases: cache,
          push: push ?? null,
          metrics,
          log,
        });
        for (const check of ingest.healthChecks()) health.register(check);
        return ingest;
      },
    ),
  ],
})
export class IngestModule implements OnApplicationBootstrap {
  constructor(
    @Inject(INGEST) private readonly ingest: Ingest,
    @Inject(RUNTIME.process) private readonly process: ProcessState,
    @Inject(RUNTIME.shutdown) private readonly shutdown: Shutdown,
  ) {}

  /** Sources are read when the process serves: before that the broker and the cache may not be connected. */
  onApplicationBootstrap(): void {
    const stopping = new AbortController();
    const started = this.#startWhenRunning(stopping.signal);
    this.shutdown.onShutdown('flush', 'ingest', async ({ signal }) => {
      stopping.abort();
      if (await started) await this.ingest.stop(signal);
    });
  }

  /** Resolves to false if the process stops first. */
  async #startWhenRunning(signal: AbortSignal): Promise<boolean> {
    while (this.process.current === 'STARTING' && !signal.aborted) await pause(POLL_MS, signal);
    if (signal.aborted || this.process.current !== 'RUNNING') return false;
    this.ingest.start();
    return true;
  }
}
