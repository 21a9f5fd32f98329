import { openAppStore } from '@carillon/app-registry';
import { configure } from '@carillon/config';
import { Databases } from '@carillon/database';
import { createParts } from '@carillon/runtime';
import { configurationError, failure, unreachable } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import type { AppPort } from './app-port.js';
import { DirectApps } from './direct-apps.js';
import { timeoutMs } from '../api/deadline.js';

const READ_ONLY: ReadonlySet<string> = new Set(['memory', 'array']);

/** Opens the store that `app_manager` names. */
export async function openDirect(invocation: Invocation): Promise<AppPort> {
  const { values, env, cwd } = invocation;
  const file = values.text('config');
  const outcome = configure({
    process: 'server',
    argv: file === undefined ? [] : [`--config=${file}`],
    env: { ...env, LOG_OUTPUT_FORMAT: 'human', RUST_LOG: 'off' },
    cwd,
  });
  if (outcome.kind === 'exit') throw configurationError(outcome.stderr.trim(), 'carillon config check');
  const { config } = outcome;
  const { driver } = config.app_manager;
  const databases = new Databases(createParts(config));
  const store = await openAppStore(driver, { config, databases });
  const dialect = driver === 'postgres' || driver === 'mysql' ? driver : null;
  const database = dialect === null ? null : databases.use(dialect);
  try {
    await within(timeoutMs(invocation), driver, async () => {
      await database?.connect();
      await store.init();
    });
  } catch (error) {
    await database?.close();
    throw error;
  }
  const isReadOnly = READ_ONLY.has(driver);
  if (isReadOnly) for (const app of config.app_manager.array.apps) await store.create(app);
  const graceMs = config.management.secret_grace_seconds * 1000;
  return new DirectApps(store, { isReadOnly, graceMs, release: async () => database?.close() });
}

async function within(ms: number, driver: string, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(unreachable(`the app store (${driver})`, `no answer within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work(), late]);
  } catch (error) {
    if (error instanceof Error && error.name === 'DatabaseUnavailable')
      throw failure(
        `the app store (${driver}) is unavailable: ${error.message}`,
        'failed',
        'carillon doctor',
      );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
