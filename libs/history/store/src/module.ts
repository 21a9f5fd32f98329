import type { AppRecord, Config } from '@carillon/config';
import { DATABASES, DatabaseModule, type Databases } from '@carillon/database';
import {
  errorText,
  type Health,
  type Logger,
  provider,
  RUNTIME,
  type RuntimeParts,
  token,
} from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { StoreFailure } from './failures.js';
import { OnDemandStore } from './on-demand-store.js';
import { openConfigured, openMemory, type OpenStore } from './open.js';
import type { DurableStore } from './port.js';

/** Token of the `DurableStore`, which is a `HistoryStore`. */
export const HISTORY_STORE = token<DurableStore>('history store');

const PART = 'history store';

interface Surroundings extends RuntimeParts {
  readonly databases: Databases;
}

/**
 * Whether the store is connected at the start: with the history of all apps, or that of one in the configuration. Else an
 * app that turns its own history on opens it when it becomes known (`openNow`), at the latest by its first use.
 */
export const opensAtStart = (config: Pick<Config, 'app_manager' | 'history' | 'presence_history'>): boolean =>
  config.history.enabled || config.presence_history.enabled || anAppKeepsHistory(config);

/** Whether an app turns its history on as a whole, or the coming and going in a namespace. */
export const keepsHistory = ({ policy }: Pick<AppRecord, 'policy'>): boolean =>
  policy.history?.enabled === true ||
  policy.presence_history?.enabled === true ||
  (policy.channels?.channel_namespaces ?? []).some((own) => own.presence_history?.enabled === true);

const anAppKeepsHistory = ({ app_manager: { array } }: Pick<Config, 'app_manager'>): boolean =>
  array.apps.some(keepsHistory);

/**
 * With `history.enabled` the configured backend, connected at the start. Without it presence history alone is kept in
 * memory, and else an app that turns its own history on opens the backend by its first use.
 */
function openStore({ config, logging, startup, health, shutdown, databases }: Surroundings): DurableStore {
  const log = logging.for('service::history');
  const { history, presence_history: presence } = config;
  const open =
    !history.enabled && presence.enabled && !anAppKeepsHistory(config)
      ? openMemory()
      : openConfigured({ config, databases, log, now: Date.now });
  shutdown.onShutdown('disconnect', PART, () => open.close());
  if (!opensAtStart(config)) return onDemand(open, { log, health });
  startup.needs({
    name: PART,
    connect: () => open.store.connect(),
    isFinal: (error) => !(error instanceof StoreFailure && error.transient),
  });
  health.register({ part: PART, severity: 'non-critical', check: () => open.health() });
  return open.store;
}

function onDemand(
  open: OpenStore,
  { log, health }: { readonly log: Logger; readonly health: Health },
): DurableStore {
  const store = new OnDemandStore(open.store, (error) =>
    log.error('the history store cannot be opened', { error: errorText(error), retryable: true }),
  );
  const check = async (): Promise<void> => {
    if (store.connected) await open.health();
  };
  health.register({ part: PART, severity: 'non-critical', check });
  return store;
}

/** Opens an on-demand store now; a failure is retried by its first use. */
export function openNow(store: DurableStore): void {
  if (store instanceof OnDemandStore) store.open();
}

/** The store of durable channels, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  imports: [DatabaseModule],
  providers: [provider(HISTORY_STORE, { ...RUNTIME, databases: DATABASES }, openStore)],
  exports: [HISTORY_STORE],
})
export class HistoryStoreModule {}
