import { clustered, rule, type Rule, type RuleContext } from './rule.js';

const worker = ({ process }: RuleContext): boolean => process.startsWith('push-');
const notShared = (driver: string): boolean => driver === 'memory' || driver === 'none';

const needs: Rule = {
  id: 'X13',
  severity: 'error',
  check: (context) => {
    const { process, config } = context;
    const driver = process === 'webhook-worker' ? config.queue.driver : config.push.queue_driver;
    const asks = process === 'webhook-worker' || worker(context);
    return asks && notShared(driver) ? [{ path: '', message: `${process} needs a shared queue driver` }] : [];
  },
};

const storage: Rule = {
  id: 'shared-push-storage',
  severity: 'error',
  check: (context) =>
    worker(context) && context.config.push.storage_driver === 'memory'
      ? [{ path: '', message: `${context.process} needs a shared storage driver` }]
      : [],
};

/** Requirements of each deployable on the configuration it shares with the others. */
export const processRules: readonly Rule[] = [
  needs,
  storage,
  rule(
    'role-of-api',
    'server_role',
    'must be "api" in the api process',
    (config, { process }) => process === 'api' && config.server_role !== 'api',
  ),
  rule(
    'role-of-mcp-gateway',
    'server_role',
    'must be "api" in the mcp-gateway process',
    (config, { process }) => process === 'mcp-gateway' && config.server_role !== 'api',
  ),
  rule(
    'mcp-gateway-enabled',
    'mcp.enabled',
    'must be true in the mcp-gateway process',
    (config, { process }) => process === 'mcp-gateway' && !config.mcp.enabled,
  ),
  rule(
    'role-of-gateway',
    'server_role',
    'must not be "api" in the gateway process',
    (config, { process }) => process === 'gateway' && config.server_role === 'api',
  ),
  rule(
    'shared-presence',
    'cache.driver',
    'must be redis or redis-cluster when the adapter is clustered: sockets of all processes share presence there',
    // Not reported again if X3 already reports it.
    (config, { process }) =>
      (process === 'gateway' || process === 'server') &&
      clustered(config) &&
      !config.compat.enabled &&
      !config.idempotency.enabled &&
      config.cache.driver !== 'redis' &&
      config.cache.driver !== 'redis-cluster',
  ),
  rule(
    'history-writer-cluster',
    '',
    'history-writer requires a horizontal adapter; adapter.driver=local is not supported',
    (config, { process }) => process === 'history-writer' && !clustered(config),
  ),
  rule(
    'history-writer-store',
    '',
    'history-writer requires a durable non-memory history backend',
    (config, { process }) => process === 'history-writer' && config.history.backend === 'memory',
  ),
];
