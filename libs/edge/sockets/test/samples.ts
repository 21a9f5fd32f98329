import { App } from '@carillon/app-registry';
import { configure, parseAppRecord, type AppRecord, type Config } from '@carillon/config';
import { Logger, Metrics } from '@carillon/runtime';
import { Connection } from '../src/connection/connection.js';
import { AppHub } from '../src/hub/app-hub.js';
import { AppMeters } from '../src/metrics.js';

/** A configuration with these overrides of the environment, everything else at its default. */
export function config(env: Readonly<Record<string, string>> = {}): Config {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}

/** A valid record with key `shop-key` and secret `shop-secret`; `policy` is in the stored form. */
export function record(policy: object = {}, more: object = {}): AppRecord {
  const parsed = parseAppRecord({ id: 'shop', key: 'shop-key', secret: 'shop-secret', policy, ...more }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return parsed.record;
}

export const app = (policy: object = {}): App => new App(record(policy), config());

export const silent = (): Logger => new Logger('test', 'off', () => {});

export const metrics = (): Metrics => new Metrics({ prefix: '', port: 6001, log: silent() });

export const hub = (of: App = app()): AppHub => new AppHub(of, new AppMeters(metrics(), of.id));

/** A connection that is not on any socket. */
export const connection = (in_: AppHub = hub(), id = '1.1'): Connection => new Connection(id, in_, 1);
