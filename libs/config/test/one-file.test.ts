import { describe, expect, it } from 'vitest';
import type { ProcessKind } from '../src/index.js';
import { problems, runs } from './harness.js';

/** Settings of a fleet: every feature, with drivers of which each app has only its own. */
const fleet = {
  mode: 'production',
  adapter: { driver: 'redis' },
  cache: { driver: 'redis' },
  queue: { driver: 'redis' },
  history: { enabled: true, backend: 'postgres' },
  presence_history: { enabled: true },
  versioned_messages: { enabled: true, driver: 'postgres' },
  push: { fcm_enabled: true, storage_driver: 'postgres', queue_driver: 'redis' },
};
const APPS: readonly ProcessKind[] = ['gateway', 'api', 'history-writer', 'webhook-worker'];
/** A build without the drivers that the app does not use. */
const NOTHING = ['nothing'];
const WITHOUT: Readonly<Partial<Record<ProcessKind, Readonly<Record<string, readonly string[]>>>>> = {
  gateway: { 'push.storage_driver': NOTHING, 'push.queue_driver': NOTHING },
  'history-writer': {
    'push.storage_driver': NOTHING,
    'push.queue_driver': NOTHING,
    'cache.driver': NOTHING,
  },
  'webhook-worker': {
    'adapter.driver': NOTHING,
    'cache.driver': NOTHING,
    'history.backend': NOTHING,
    'versioned_messages.driver': NOTHING,
    'push.storage_driver': NOTHING,
    'push.queue_driver': NOTHING,
  },
};

describe('one file for all apps', () => {
  it.each(APPS)('runs the %s, whatever drivers it lacks of what it does not use', (process) => {
    const env = process === 'api' ? { SERVER_ROLE: 'api' } : {};
    expect(runs({ process, json: fleet, drivers: WITHOUT[process] ?? {}, env }).config.history.enabled).toBe(
      true,
    );
  });

  it('is judged by the app that uses the section', () => {
    const drivers = { 'history.backend': NOTHING };
    expect(problems({ process: 'history-writer', json: fleet, drivers })).toEqual([
      'history.backend: driver postgres is not available in this build',
    ]);
  });

  it.each(APPS)('keeps to the schema in the %s, in every section', (process) => {
    const json = { ...fleet, history: { writer_shards: 'many' }, push: { queue_driver: 'telepathy' } };
    const env = process === 'api' ? { SERVER_ROLE: 'api' } : {};
    const found = problems({ process, json, env });
    expect(found.some((problem) => problem.startsWith('history.writer_shards'))).toBe(true);
    expect(found.some((problem) => problem.startsWith('push.queue_driver'))).toBe(true);
  });
});
