import { configure, type Config } from '@carillon/config';

/** The configuration of a server with this environment and this file, everything else at its default. Logs are off. */
export function configuration(env: Readonly<Record<string, string>> = {}, file = ''): Config {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
    files: { exists: (path) => file !== '' && path.endsWith('.toml'), read: () => file },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}
