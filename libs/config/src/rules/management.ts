import type { Config } from '../schema/index.js';
import { isProduction } from '../mode.js';
import { duplicates, rule, type Rule } from './rule.js';

const uniqueTokens: Rule = {
  id: 'management-unique',
  severity: 'error',
  check: ({ config: { management } }) => [
    ...duplicates(management.tokens.map(({ name }) => name)).map((name) => ({
      path: 'management.tokens',
      message: `duplicate name "${name}"`,
    })),
    ...duplicates(management.tokens.map(({ token_hash }) => token_hash)).map(() => ({
      path: 'management.tokens',
      message: 'duplicate token_hash',
    })),
  ],
};

const expiredTokens: Rule = {
  id: 'management-expired',
  severity: 'warning',
  check: ({ config: { management } }) =>
    management.tokens.flatMap(({ expires_at }, index) =>
      expires_at !== null && Date.parse(expires_at) <= Date.now()
        ? [{ path: `management.tokens[${index}].expires_at`, message: 'has passed; the token is refused' }]
        : [],
    ),
};

const isSql = (driver: string): boolean => driver === 'mysql' || driver === 'postgres';

const whileEnabled =
  (broken: (config: Config) => boolean) =>
  (config: Config): boolean =>
    config.management.enabled && broken(config);

/** Rules of the management API; those about its listener only while it is enabled. */
export const managementRules: readonly Rule[] = [
  rule(
    'management-port',
    'management.port',
    'required when mode is production',
    whileEnabled((config) => isProduction(config) && (config.management.port ?? 0) === 0),
  ),
  rule(
    'management-one-time',
    'management.one_time_login',
    'is not allowed in production',
    whileEnabled((config) => isProduction(config) && config.management.one_time_login),
  ),
  rule(
    'management-tokens',
    'management',
    'no tokens configured',
    whileEnabled(({ management }) => management.tokens.length === 0 && !management.one_time_login),
  ),
  rule(
    'management-idle',
    'management.session_idle_seconds',
    'must be at most session_max_seconds',
    ({ management }) => management.session_idle_seconds > management.session_max_seconds,
  ),
  rule(
    'management-audit',
    'management.audit.store',
    'sql needs a SQL database of the app store or the history',
    whileEnabled(
      ({ management, app_manager: apps, history }) =>
        management.audit.store === 'sql' &&
        !isSql(apps.driver) &&
        !(history.enabled && isSql(history.backend)),
    ),
  ),
  uniqueTokens,
  expiredTokens,
];
