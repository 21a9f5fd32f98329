import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../program/invocation.js';

/**
 * Settings of a first try, which a configured service must not get: an app with published credentials. Its listeners
 * stay on the loopback address, because its secret is public.
 */
const DEMO: Readonly<Record<string, string>> = {
  ENVIRONMENT: 'development',
  HOST: '127.0.0.1',
  METRICS_HOST: '127.0.0.1',
  MANAGEMENT_ENABLED: 'true',
  HISTORY_ENABLED: 'true',
  PRESENCE_HISTORY_ENABLED: 'true',
  PUSH_STORAGE_DRIVER: 'postgres',
  PUSH_CREDENTIAL_ENCRYPTION_KEY: 'a key that anybody may know',
  PUSH_FCM_ENABLED: 'true',
  PUSH_APNS_ENABLED: 'true',
  PUSH_WEBPUSH_ENABLED: 'true',
  PUSH_HMS_ENABLED: 'true',
  PUSH_WNS_ENABLED: 'true',
  // Some server libraries accept only digits as an app id.
  SERVICE_DEFAULT_APP_ID: '1001',
  SERVICE_DEFAULT_APP_KEY: 'demo-key',
  SERVICE_DEFAULT_APP_SECRET: 'demo-secret',
  SERVICE_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true',
  SERVICE_DEFAULT_APP_ENABLE_USER_AUTHENTICATION: 'true',
  SERVICE_DEFAULT_APP_ENABLE_WATCHLIST_EVENTS: 'true',
};

/** Whether a file or the environment names the apps of the service. */
export function isConfigured(env: Env, cwd: string): boolean {
  const hasFile = ['config/config.toml', 'config/config.json'].some((name) => existsSync(join(cwd, name)));
  return hasFile || ['ID', 'KEY', 'SECRET'].some((part) => (env[`SERVICE_DEFAULT_APP_${part}`] ?? '') !== '');
}

/** The settings of the demo that the environment does not already have. */
export const demoEnvironment = (env: Env): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(DEMO).filter(([name]) => (env[name] ?? '') === ''));
