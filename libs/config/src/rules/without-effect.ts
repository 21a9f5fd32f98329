import { valueAt } from '../kernel/walk.js';
import type { Rule } from './rule.js';

/** A setting of the reference that this service has no use for. */
interface WithoutEffect {
  readonly path: string;
  /** The only accepted value, which describes the behaviour of the service. Null: unset. */
  readonly only: boolean | number | string | null;
  /** The reason, as the end of a sentence. */
  readonly why: string;
}

const NATS = ['adapter', 'queue'].flatMap((block): WithoutEffect[] => [
  {
    path: `${block}.nats.subscription_capacity`,
    only: null,
    why: 'the client hands messages on within the turn that they arrived in, so that nothing waits in it',
  },
  {
    path: `${block}.nats.client_capacity`,
    only: null,
    why: 'the client hands messages on within the turn that they arrived in, so that nothing waits in it',
  },
  {
    path: `${block}.nats.presence_sync_chunk_size`,
    only: null,
    why: 'presence members are stored in the shared cache and not copied between nodes',
  },
]);

const APPS = ['mysql', 'postgres', 'surrealdb'].flatMap((database): WithoutEffect[] => [
  {
    path: `database.${database}.cache_max_capacity`,
    only: 100,
    why: 'the cache of apps is configured by app_manager.cache for all databases',
  },
  ...(database === 'surrealdb'
    ? []
    : [
        {
          path: `database.${database}.cache_cleanup_interval`,
          only: 60,
          why: 'the cache of apps is configured by app_manager.cache for all databases',
        },
      ]),
]);

const NEVER_SHOWN = 'payloads of push are never written to logs, events or tool results';

const OF_FEATURES: readonly WithoutEffect[] = [
  {
    path: 'delta_compression.cluster_coordination',
    only: false,
    why: 'each node encodes deltas for its own subscribers from the last message that they received, so that nodes need no common position',
  },
  {
    path: 'delta_compression.coordination_backend',
    only: 'auto',
    why: 'each node encodes deltas for its own subscribers from the last message that they received, so that nodes need no common position',
  },
  { path: 'push.payload_redaction.redact_payload', only: true, why: NEVER_SHOWN },
  { path: 'push.payload_redaction.redact_template_data', only: true, why: NEVER_SHOWN },
  { path: 'push.payload_redaction.redact_provider_overrides', only: true, why: NEVER_SHOWN },
  { path: 'push.payload_redaction.allow_debug_payload_logging', only: false, why: NEVER_SHOWN },
  {
    path: 'push.kms_key_ref',
    only: null,
    why: 'credentials are encrypted with push.credential_encryption_key, which a secret store can supply through the environment',
  },
  {
    path: 'push.vault_secret_ref',
    only: null,
    why: 'credentials are encrypted with push.credential_encryption_key, which a secret store can supply through the environment',
  },
];

/**
 * Every setting of the reference without an effect. Another value than the accepted one fails the start, so that no
 * operator relies on it. A test requires each setting that the service does not read to be listed.
 */
const ROWS: readonly WithoutEffect[] = [
  {
    path: 'adapter.buffer_multiplier_per_cpu',
    only: 64,
    why: 'the native server publishes to all sockets of a channel in one call, so that there is no loop to interrupt',
  },
  {
    path: 'adapter.aggregate_counts',
    only: false,
    why: 'counts are exact sums in the shared cache, or are requested from the other nodes',
  },
  {
    path: 'adapter.fast_presence_transitions',
    only: false,
    why: 'one atomic step in the shared cache decides the first join and the last leave, without a request to other nodes',
  },
  {
    path: 'adapter.cluster.use_connection_manager',
    only: true,
    why: 'the client always reconnects and refreshes the topology',
  },
  ...NATS,
  ...APPS,
  ...OF_FEATURES,
];

const acceptedOnly = ({ only }: WithoutEffect): string =>
  only === null ? 'leave it unset' : `only ${String(only)} is accepted`;

/** The note of the reference page on a setting without an effect; null: it has one. */
export function noteOnEffect(path: string): string | null {
  const row = ROWS.find((one) => one.path === path);
  return row === undefined ? null : `No effect (${acceptedOnly(row)}): ${row.why}`;
}

export const withoutEffect: Rule = {
  id: 'without-effect',
  severity: 'error',
  check: ({ config }) =>
    ROWS.filter(({ path, only }) => valueAt(config, path) !== only).map((row) => ({
      path: row.path,
      message: `has no effect: ${row.why}; ${acceptedOnly(row)}`,
    })),
};
