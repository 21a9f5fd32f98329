import { clustered, duplicates, rule, type Rule } from './rule.js';

const uniqueNames: Rule = {
  id: 'compat-key-names',
  severity: 'error',
  check: ({ config: { compat } }) =>
    duplicates(compat.keys.map((key) => key.key_name).filter((name) => name !== '')).map((name) => ({
      path: 'compat.keys',
      message: `duplicate key_name "${name}"`,
    })),
};

const notPrimary: Rule = {
  id: 'compat-primary-keys',
  severity: 'error',
  check: ({ config: { compat, app_manager: apps } }) => {
    const primary = new Set(apps.array.apps.map(({ key }) => key));
    return compat.keys.flatMap(({ key_name: name }, index) =>
      primary.has(name)
        ? [{ path: `compat.keys[${index}].key_name`, message: 'is the primary key of an app' }]
        : [],
    );
  },
};

/** Rules of the compat facade. */
export const compatRules: readonly Rule[] = [
  uniqueNames,
  notPrimary,
  rule(
    'compat-history',
    '',
    'clustered compatibility requires a durable non-memory history backend',
    (config) => clustered(config) && config.compat.enabled && config.history.backend === 'memory',
  ),
  rule(
    'compat-versions',
    '',
    'clustered compatibility requires a durable non-memory version store',
    (config) => clustered(config) && config.compat.enabled && config.versioned_messages.driver === 'memory',
  ),
];
