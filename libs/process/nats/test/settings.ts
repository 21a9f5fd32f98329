import { configure, type Config } from '@carillon/config';

/** The configuration that the environment makes. */
export function configured(env: Record<string, string>): Config {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { ENVIRONMENT: 'development', RUST_LOG: 'off', CACHE_DRIVER: 'redis', ...env },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}
