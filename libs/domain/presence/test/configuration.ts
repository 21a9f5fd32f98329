import { configure, type Config } from '@carillon/config';

/** The configuration that this environment gives, with no file. */
export function configuration(env: Record<string, string> = {}): Config {
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
