import { configure, parseAppRecord, type AppRecord, type Config } from '@carillon/config';

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
