import type { Config } from '@carillon/config';
import { DATABASES, DatabaseModule, type Databases } from '@carillon/database';
import {
  CONFIG,
  HEALTH,
  type Health,
  LOGGING,
  type Logging,
  type Metrics,
  METRICS_REGISTRY,
  type Severity,
  SHUTDOWN,
  type Shutdown,
  STARTUP,
  type Startup,
} from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { openPushStore } from './open.js';
import type { PushStore } from './port.js';
import { Sealer } from './sealing.js';
import { COMPONENTS, type StoreObserver } from './sql/session.js';

/** Token of the `PushStore`. */
export const PUSH_STORE = Symbol('push store');
/** Token of the `Sealer`; null: there is no master key. */
export const SEALER = Symbol('sealer');
/** Token of what an unreachable store means for the process; without a provider it is a degradation. */
const STORE_SEVERITY = Symbol('push store severity');

const PART = 'push store';

const sealerOf = ({ push }: Config): Sealer | null =>
  push.credential_encryption_key === null
    ? null
    : new Sealer(
        push.credential_encryption_key.reveal(),
        push.credential_encryption_key_previous.map((key) => key.reveal()),
      );

function countRepeats(metrics: Metrics): StoreObserver {
  const conflicts = metrics.counter('push_status_cas_conflicts_total');
  const exhausted = metrics.counter('push_status_cas_exhausted_total');
  for (const component of COMPONENTS) {
    conflicts.for({ component });
    exhausted.for({ component });
  }
  return {
    repeated: (component) => conflicts.for({ component }).add(),
    givenUp: (component) => exhausted.for({ component }).add(),
  };
}

/** The store of `push.storage_driver` and the master key, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  imports: [DatabaseModule],
  providers: [
    {
      provide: PUSH_STORE,
      inject: [
        CONFIG,
        DATABASES,
        LOGGING,
        METRICS_REGISTRY,
        STARTUP,
        HEALTH,
        SHUTDOWN,
        { token: STORE_SEVERITY, optional: true },
      ],
      useFactory: (
        config: Config,
        databases: Databases,
        logging: Logging,
        metrics: Metrics,
        startup: Startup,
        health: Health,
        shutdown: Shutdown,
        severity: Severity = 'non-critical',
      ): PushStore => {
        const store = openPushStore(config, databases, countRepeats(metrics));
        if (!store.durable) return store;
        startup.needs({
          name: PART,
          connect: async () => {
            await store.connect();
            await checkCredentials(store, sealerOf(config));
          },
        });
        health.register({ part: PART, severity, check: () => store.health() });
        shutdown.onShutdown('disconnect', PART, () => store.close());
        if (config.push.credential_encryption_key === null) {
          logging
            .for('service::push')
            .warn('no push.credential_encryption_key: addresses of devices are stored as plain text');
        }
        return store;
      },
    },
    { provide: SEALER, inject: [CONFIG], useFactory: sealerOf },
  ],
  exports: [PUSH_STORE, SEALER],
})
export class PushStoreModule {
  /** For a process that is nothing without its store: `/up` answers 503 when it is away. */
  static forWorker(): DynamicModule {
    return { module: PushStoreModule, providers: [{ provide: STORE_SEVERITY, useValue: 'critical' }] };
  }
}

/** Rejects when credentials are stored that nobody here could open. */
async function checkCredentials(store: PushStore, sealer: Sealer | null): Promise<void> {
  const [first] = await store.allCredentials(null, 1);
  if (first === undefined) return;
  const envelopes = Object.values(first.sealedFields);
  if (sealer === null || !envelopes.every((envelope) => sealer.knows(envelope))) {
    throw new Error(
      'push.credential_encryption_key: is missing or is not the key that stored credentials were sealed with',
    );
  }
}
