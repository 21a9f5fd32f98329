import type { Config } from '@carillon/config';
import { DATABASES, DatabaseModule, type Databases } from '@carillon/database';
import {
  type Metrics,
  optional,
  provider,
  RUNTIME,
  type RuntimeParts,
  type Severity,
  token,
} from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { openPushStore } from './open.js';
import type { PushStore } from './port/port.js';
import { Sealer } from './sealing.js';
import { COMPONENTS, type StoreObserver } from './sql/session.js';

export const PUSH_STORE = token<PushStore>('push store');
/** Token of the `Sealer`; null: there is no master key. */
export const SEALER = token<Sealer | null>('sealer');
/** Token of the severity of an unreachable store; without a provider it is a degradation. */
const STORE_SEVERITY = token<Severity>('push store severity');

const PART = 'push store';

const sealerOf = ({ config: { push } }: { readonly config: Config }): Sealer | null =>
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

interface Surroundings extends RuntimeParts {
  readonly databases: Databases;
  readonly severity: Severity | undefined;
}

async function openStore(parts: Surroundings): Promise<PushStore> {
  const { config, databases, logging, metrics, startup, health, shutdown, severity = 'non-critical' } = parts;
  const store = await openPushStore(config, databases, countRepeats(metrics));
  if (!store.durable) return store;
  startup.needs({
    name: PART,
    connect: async () => {
      await store.connect();
      await checkCredentials(store, sealerOf(parts));
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
}

/** The store of `push.storage_driver` and the master key, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  imports: [DatabaseModule],
  providers: [
    provider(PUSH_STORE, { ...RUNTIME, databases: DATABASES, severity: optional(STORE_SEVERITY) }, openStore),
    provider(SEALER, RUNTIME, sealerOf),
  ],
  exports: [PUSH_STORE, SEALER],
})
export class PushStoreModule {
  /** For processes that depend on their store: `/up` answers 503 when it is unavailable. */
  static forWorker(): DynamicModule {
    return { module: PushStoreModule, providers: [{ provide: STORE_SEVERITY, useValue: 'critical' }] };
  }
}

/** Rejects if stored credentials cannot be decrypted in this process. */
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
