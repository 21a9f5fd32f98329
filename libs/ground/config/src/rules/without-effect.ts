import { valueAt } from '../kernel/walk.js';
import type { Rule } from './rule.js';

interface WithoutEffect {
  readonly path: string;
  /** The one value that says what happens anyway. */
  readonly only: boolean | number | string | null;
  /** What happens instead. */
  readonly why: string;
}

const NATS = ['adapter', 'queue'].flatMap((block): WithoutEffect[] => [
  { path: `${block}.nats.subscription_capacity`, only: null, why: 'the client holds nothing back' },
  { path: `${block}.nats.client_capacity`, only: null, why: 'the client holds nothing back' },
  {
    path: `${block}.nats.presence_sync_chunk_size`,
    only: null,
    why: 'who is present is in the shared store, not copied between nodes',
  },
]);

const APPS = ['mysql', 'postgres', 'surrealdb'].flatMap((database): WithoutEffect[] => [
  {
    path: `database.${database}.cache_max_capacity`,
    only: 100,
    why: 'app_manager.cache says what is kept of apps',
  },
  ...(database === 'surrealdb'
    ? []
    : [
        {
          path: `database.${database}.cache_cleanup_interval`,
          only: 60,
          why: 'app_manager.cache says what is kept of apps',
        },
      ]),
]);

const NEVER_SHOWN = 'payloads are never shown and never logged';

const OF_FEATURES: readonly WithoutEffect[] = [
  {
    path: 'delta_compression.cluster_coordination',
    only: false,
    why: 'every node makes the differences for its own subscribers',
  },
  {
    path: 'delta_compression.coordination_backend',
    only: 'auto',
    why: 'every node makes the differences for its own subscribers',
  },
  { path: 'push.payload_redaction.redact_payload', only: true, why: NEVER_SHOWN },
  { path: 'push.payload_redaction.redact_template_data', only: true, why: NEVER_SHOWN },
  { path: 'push.payload_redaction.redact_provider_overrides', only: true, why: NEVER_SHOWN },
  { path: 'push.payload_redaction.allow_debug_payload_logging', only: false, why: NEVER_SHOWN },
  {
    path: 'push.kms_key_ref',
    only: null,
    why: 'credentials are encrypted with push.credential_encryption_key',
  },
  {
    path: 'push.vault_secret_ref',
    only: null,
    why: 'credentials are encrypted with push.credential_encryption_key',
  },
];

/**
 * Settings of the reference that this service has no use for: nobody may believe that one of them works. A setting that
 * is not read by the service has to be here; a test walks through all of them.
 */
const ROWS: readonly WithoutEffect[] = [
  {
    path: 'adapter.buffer_multiplier_per_cpu',
    only: 64,
    why: 'a message goes to all sockets of a channel in one call',
  },
  {
    path: 'adapter.aggregate_counts',
    only: false,
    why: 'counts of other nodes are asked for when they are needed',
  },
  {
    path: 'adapter.fast_presence_transitions',
    only: false,
    why: 'comings and goings are decided in the shared store, exactly',
  },
  { path: 'adapter.cluster.use_connection_manager', only: true, why: 'connections are always looked after' },
  ...NATS,
  ...APPS,
  ...OF_FEATURES,
];

export const withoutEffect: Rule = {
  id: 'without-effect',
  severity: 'error',
  check: ({ config }) =>
    ROWS.filter(({ path, only }) => valueAt(config, path) !== only).map(({ path, only, why }) => ({
      path,
      message: `has no effect here (${why}); ${only === null ? 'leave it out' : `only ${String(only)} is accepted`}`,
    })),
};
