import { randomUUID } from 'node:crypto';
import { leavesOf, putAt, valueAt } from '../kernel/walk.js';
import { isProduction } from '../mode.js';
import type { Problem } from '../problem.js';
import type { ProcessKind } from '../process-kind.js';
import { schema, type Config } from '../schema/index.js';

/** The input of derived defaults and adjustments. */
interface Settling {
  /** Derived settings later in the list are still null, regardless of their type. */
  readonly config: Config;
  readonly configured: ReadonlySet<string>;
  readonly process: ProcessKind;
}

const INTEREST_DRIVERS: ReadonlySet<string> = new Set(['nats', 'redis', 'redis-cluster']);

/** App stores whose settings include a cache ttl. */
const TIMED: ReadonlySet<string> = new Set(['mysql', 'postgres', 'surrealdb']);

/** Computes each derived setting, in dependency order. */
const DERIVED: Readonly<Record<string, (settling: Settling) => unknown>> = {
  server_role: ({ process }) =>
    process === 'api' || process === 'mcp-gateway' || process === 'ingest' ? 'api' : 'default',
  'instance.process_id': () => randomUUID(),
  'drain.delay_ms': ({ config }) => Math.min(5000, Math.floor((config.shutdown_grace_period * 1000) / 3)),
  'logging.filter': ({ config: { debug, logging } }) =>
    debug ? logging.filter_debug : logging.filter_production,
  'adapter.routing': ({ config }) => (INTEREST_DRIVERS.has(config.adapter.driver) ? 'interest' : 'broadcast'),
  'database.postgres.embedded': ({ config: { history, push, adapter, database } }) =>
    (history.backend === 'postgres' || push.storage_driver === 'postgres') &&
    adapter.driver === 'local' &&
    database.postgres.host === null,
  'database.postgres.host': () => 'localhost',
  'mcp.host': ({ config }) => config.host,
  'management.one_time_login': ({ config }) => !isProduction(config),
  'app_manager.cache.ttl': ({ config: { app_manager: apps, database } }) =>
    TIMED.has(apps.driver) ? database[apps.driver as 'mysql'].cache_ttl : 300,
  'webhooks.allow_private_targets': ({ config }) => !isProduction(config),
};

export function fillDerived(
  tree: Record<string, unknown>,
  configured: ReadonlySet<string>,
  process: ProcessKind,
): void {
  for (const [path, resolve] of Object.entries(DERIVED)) {
    if (valueAt(tree, path) === null)
      putAt(tree, path, resolve({ config: tree as Config, configured, process }));
  }
}

/** Derived settings without a computation; empty unless the schema and this list disagree. */
export function unfilled(): readonly string[] {
  const derived = leavesOf(schema).filter(({ node }) => node.derived !== null);
  return derived.map(({ path }) => path).filter((path) => !Object.hasOwn(DERIVED, path));
}

interface Adjustment {
  readonly path: string;
  readonly value: unknown;
  /** Null: taken for granted by the reference, not worth a warning. */
  readonly warning: string | null;
}

function consumerName(config: Config, block: 'adapter' | 'queue'): Adjustment | null {
  if ((config[block].iggy.consumer_name ?? '') !== '') return null;
  const value = config.instance.host_name ?? config.instance.process_id;
  return { path: `${block}.iggy.consumer_name`, value, warning: null };
}

function credentials({ config: { cors }, configured }: Settling): Adjustment | null {
  const open = cors.origin.length === 0 || cors.origin.some((origin) => /^(\*|any)$/i.test(origin.trim()));
  if (!cors.credentials || !open) return null;
  const asked = configured.has('cors.credentials');
  const warning = 'forced to false: cors.origin is empty or allows every origin';
  return { path: 'cors.credentials', value: false, warning: asked ? warning : null };
}

function purgeInterval({ config }: Settling): Adjustment | null {
  if (config.history.purge_interval_seconds >= 10) return null;
  return { path: 'history.purge_interval_seconds', value: 10, warning: 'raised to 10' };
}

function logFormat({ config }: Settling): Adjustment | null {
  if (config.logging.format !== 'unknown') return null;
  return { path: 'logging.format', value: 'text', warning: 'unknown format, text is used' };
}

function mcpPath({ config }: Settling): Adjustment | null {
  const { path } = config.mcp;
  return path.length > 1 && path.endsWith('/')
    ? { path: 'mcp.path', value: path.slice(0, -1), warning: null }
    : null;
}

/** On one node versions live where their messages do, so the memory default means "there". */
function versionDriver({ config }: Settling): Adjustment | null {
  const { enabled, driver } = config.versioned_messages;
  if (!enabled || driver !== 'memory' || config.adapter.driver !== 'local') return null;
  return { path: 'versioned_messages.driver', value: config.history.backend, warning: null };
}

const forced =
  (path: string, condition: (config: Config) => boolean) =>
  (settling: Settling): Adjustment | null =>
    condition(settling.config) ? { path, value: true, warning: null } : null;

const ADJUSTMENTS: readonly ((settling: Settling) => Adjustment | null)[] = [
  credentials,
  purgeInterval,
  logFormat,
  mcpPath,
  versionDriver,
  ({ config }) => consumerName(config, 'adapter'),
  ({ config }) => consumerName(config, 'queue'),
  forced('connection_recovery.enabled', ({ compat }) => compat.enabled),
  forced('delta_compression.enabled', ({ compat }) => compat.enabled),
  forced(
    'ai_transport.enabled',
    (config) => config.compat.enabled && config.history.enabled && config.versioned_messages.enabled,
  ),
];

/** Replaces values as the specification requires; reports it if the operator configured another value. */
export function adjust(
  tree: Record<string, unknown>,
  configured: ReadonlySet<string>,
  process: ProcessKind,
): readonly Problem[] {
  const warnings: Problem[] = [];
  for (const adjustment of ADJUSTMENTS) {
    const change = adjustment({ config: tree as Config, configured, process });
    if (change === null) continue;
    putAt(tree, change.path, change.value);
    if (change.warning !== null) warnings.push({ path: change.path, message: change.warning });
  }
  return warnings;
}
