import type { Config } from '../schema/index.js';
import { isProduction } from '../mode.js';
import { clustered, pushInUse, rule, ruleEach, type Rule, type RuleContext } from './rule.js';
import { brokerWithoutAuthentication } from './broker-authentication.js';

const sharedCache = ({ cache }: Config): boolean =>
  cache.driver === 'redis' || cache.driver === 'redis-cluster';

const versions = (config: Config): boolean => config.versioned_messages.enabled || config.annotations.enabled;

/** Listeners that will be opened, by the setting that gives the port. */
export function listeners({
  port,
  unix_socket,
  metrics,
  mcp,
  management,
  ssl,
}: Config): readonly (readonly [string, number])[] {
  const exporter = metrics.tcp_exporter;
  const all: readonly (readonly [string, number | null, boolean])[] = [
    ['port', port, !unix_socket.enabled],
    ['metrics.port', metrics.port, metrics.enabled],
    ['mcp.port', mcp.port, mcp.enabled],
    ['management.port', management.port, management.enabled],
    ['ssl.http_port', ssl.http_port, ssl.enabled && ssl.redirect_http],
    ['metrics.tcp_exporter.port', exporter.port, metrics.enabled && exporter.enabled],
  ];
  return all.flatMap(([name, number, open]) =>
    open && number !== null && number !== 0 ? [[name, number]] : [],
  );
}

const onePort: Rule = {
  id: 'X11',
  severity: 'error',
  check: ({ config }) => {
    const open = listeners(config);
    return open.flatMap(([first, port], index) =>
      open
        .slice(index + 1)
        .filter(([, other]) => other === port)
        .map(([second]) => ({ path: '', message: `port ${port} is used by ${first} and ${second}` })),
    );
  },
};

const consumesWebhooks = ({ config, process }: RuleContext): boolean =>
  process === 'webhook-worker' || (process === 'server' && config.workers.webhooks);

const consumesPush = ({ config, process }: RuleContext): boolean =>
  process.startsWith('push-') ||
  (process === 'server' && pushInUse(config) && config.workers.push_stages.length > 0);

const USES_OF_CACHE: readonly (readonly [string, (config: Config) => boolean])[] = [
  ['idempotency', ({ idempotency }) => idempotency.enabled],
  ['compat', ({ compat }) => compat.enabled],
  ['management sessions across nodes', (config) => config.management.enabled && clustered(config)],
  ['mcp sessions across nodes', (config) => config.mcp.enabled && clustered(config)],
  ['ai_transport', ({ ai_transport }) => ai_transport.enabled],
];

const aiClustered = (config: Config): boolean => clustered(config) && config.ai_transport.enabled;

/** The rows X1 to X17 of the specification, without X16. */
export const crossSectionRules: readonly Rule[] = [
  rule(
    'X1',
    '',
    'server_role=api requires a horizontal adapter; adapter.driver=local is not supported',
    (config) => config.server_role === 'api' && !clustered(config),
  ),
  rule(
    'X2',
    '',
    'server_role=api cannot use adapter.fallback_to_local',
    (config) => config.server_role === 'api' && config.adapter.fallback_to_local,
  ),
  rule(
    'X3',
    '',
    'clustered compatibility and idempotency require cache.driver=redis or redis-cluster',
    (config) =>
      clustered(config) && (config.compat.enabled || config.idempotency.enabled) && !sharedCache(config),
  ),
  rule(
    'X4',
    '',
    'clustered compatibility requires adapter.cluster_health.enabled',
    (config) => clustered(config) && config.compat.enabled && !config.adapter.cluster_health.enabled,
  ),
  rule(
    'X5',
    '',
    'clustered history requires a durable non-memory history backend',
    ({ history, ...config }) =>
      config.adapter.driver !== 'local' && history.enabled && history.backend === 'memory',
  ),
  rule(
    'X6',
    '',
    'clustered presence history requires history.enabled with a durable backend',
    (config) =>
      clustered(config) &&
      config.presence_history.enabled &&
      (!config.history.enabled || config.history.backend === 'memory'),
  ),
  rule(
    'X7',
    '',
    'clustered mutable messages and annotations require a durable non-memory version store',
    (config) => clustered(config) && versions(config) && config.versioned_messages.driver === 'memory',
  ),
  rule(
    'X8',
    '',
    'annotations.enabled requires versioned_messages.enabled',
    ({ annotations, versioned_messages }) => annotations.enabled && !versioned_messages.enabled,
  ),
  rule(
    'X9',
    '',
    'ai_transport.enabled requires history.enabled',
    ({ ai_transport, history }) => ai_transport.enabled && !history.enabled,
  ),
  rule(
    'X9',
    '',
    'ai_transport.enabled requires versioned_messages.enabled',
    ({ ai_transport, versioned_messages }) => ai_transport.enabled && !versioned_messages.enabled,
  ),
  rule(
    'X10',
    '',
    'clustered ai_transport requires a durable non-memory history backend',
    (config) => aiClustered(config) && config.history.backend === 'memory',
  ),
  rule(
    'X10',
    '',
    'clustered ai_transport requires a durable non-memory version store',
    (config) => aiClustered(config) && config.versioned_messages.driver === 'memory',
  ),
  rule(
    'X10',
    '',
    'clustered ai_transport requires cache.driver=redis or redis-cluster',
    (config) => aiClustered(config) && !sharedCache(config),
  ),
  onePort,
  rule(
    'X12',
    'queue.driver',
    'sns is producer-only',
    (config, context) => config.queue.driver === 'sns' && consumesWebhooks(context),
  ),
  rule(
    'X12',
    'push.queue_driver',
    'sns is producer-only',
    (config, context) => config.push.queue_driver === 'sns' && consumesPush(context),
  ),
  rule(
    'X14',
    'rate_limiter.driver',
    'limits count per node: the driver is memory and the adapter is clustered',
    (config) => clustered(config) && config.rate_limiter.enabled && config.rate_limiter.driver === 'memory',
    'warning',
  ),
  ruleEach('X15', USES_OF_CACHE, ([feature, inUse], { config }) =>
    config.cache.driver === 'none' && inUse(config)
      ? { path: '', message: `cache.driver=none cannot serve ${feature}` }
      : null,
  ),
  rule(
    'X17',
    'adapter.driver',
    'no authentication towards the broker of a production cluster',
    (config) => isProduction(config) && brokerWithoutAuthentication(config),
    'warning',
  ),
];
