import type { Config } from '../schema/index.js';
import { isProduction } from '../mode.js';
import { pushInUse, pushProviders, rule, ruleEach, type Rule } from './rule.js';

const MEMORY_PARTS = [
  ['storage', 'storage_driver'],
  ['queue', 'queue_driver'],
] as const;

/** The app whose stored credential a provider uses; null when it uses its own variables. */
function storedCredential({ push }: Config, provider: (typeof pushProviders)[number]): string | null {
  const app = provider === 'hms' ? push.hms.credential_app_id : push[provider].app_id;
  return push[`${provider}_credential_ref`] ?? app;
}

function masterKeyMissing(config: Config): boolean {
  const { push } = config;
  const stored = pushProviders.some(
    (provider) => push[`${provider}_enabled`] && storedCredential(config, provider) !== null,
  );
  const elsewhere = push.kms_key_ref !== null || push.vault_secret_ref !== null;
  return stored && push.credential_encryption_key === null && !elsewhere;
}

/** Rules of push that need no look at a store. */
export const pushRules: readonly Rule[] = [
  ruleEach('push-memory', MEMORY_PARTS, ([part, key], { config }) =>
    isProduction(config) &&
    pushInUse(config) &&
    config.push[key] === 'memory' &&
    !config.push.allow_memory_drivers
      ? { path: 'push', message: `memory ${part} driver is not allowed in production` }
      : null,
  ),
  rule(
    'push-backoff',
    'push.retry.initial_backoff_ms',
    'must be at most max_backoff_ms',
    ({ push: { retry } }) => retry.initial_backoff_ms > retry.max_backoff_ms,
  ),
  rule(
    'push-master-key',
    'push.credential_encryption_key',
    'required when stored credentials are used',
    masterKeyMissing,
  ),
  rule(
    'push-local-endpoints',
    'push.webpush.allow_local_endpoints',
    'must not be set in production (PUSH_ALLOW_LOCAL_WEB_PUSH_ENDPOINTS)',
    (config) => isProduction(config) && config.push.webpush.allow_local_endpoints,
  ),
  ruleEach(
    'push-static-token',
    ['fcm', 'apns', 'hms', 'wns'] as const,
    (provider, { config: { push } }) =>
      push[`${provider}_enabled`] && push[provider].provider_token !== null
        ? { path: `push.${provider}.provider_token`, message: 'a fixed token is never refreshed' }
        : null,
    'warning',
  ),
  rule(
    'push-payload-logging',
    'push.payload_redaction.allow_debug_payload_logging',
    'payloads are logged in debug mode',
    ({ push }) => push.payload_redaction.allow_debug_payload_logging,
    'warning',
  ),
];
