import type { FlagSpec } from './spec.js';

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { flags: '--json', about: 'print machine-readable output' },
  {
    flags: '--url <URL>',
    about: 'base URL of sockets and the signed API; default http://127.0.0.1:6001',
    env: 'CARILLON_URL',
  },
  {
    flags: '--manage-url <URL>',
    about: 'base URL of the management API; default: --url',
    env: 'CARILLON_MANAGE_URL',
  },
  {
    flags: '--app-url <URL>',
    about: 'http(s)://KEY:SECRET@HOST[:PORT][/PREFIX]/apps/ID',
    env: 'CARILLON_APP_URL',
  },
  { flags: '--app <ID>', about: 'id of the app', env: 'CARILLON_APP_ID' },
  { flags: '--key <KEY>', about: 'key of the app', env: 'CARILLON_APP_KEY' },
  {
    flags: '--secret <SECRET>',
    about: 'secret of the app; - reads standard input, @FILE a file',
    env: 'CARILLON_APP_SECRET',
  },
  {
    flags: '--token <TOKEN>',
    about: 'operator token of the management API; - reads standard input, @FILE a file',
    env: 'CARILLON_TOKEN',
  },
  { flags: '--profile <NAME>', about: 'profile of the profiles file', env: 'CARILLON_PROFILE' },
  { flags: '-c, --config <FILE>', about: 'configuration file of the service' },
  {
    flags: '--direct',
    about: 'use the stores of the configuration instead of the management API',
  },
  {
    flags: '--timeout <DURATION>',
    about: 'limit of a request with its retries; default 10s',
    env: 'CARILLON_TIMEOUT',
  },
  { flags: '-y, --yes', about: 'do not ask for confirmation' },
  { flags: '-q, --quiet', about: 'print results and errors only' },
  { flags: '-v, --verbose', about: 'print requests, without secrets, on standard error' },
  { flags: '--color', about: 'use colours' },
  { flags: '--no-color', about: 'use no colours; also the environment variable NO_COLOR' },
  { flags: '-h, --help', about: 'print the help of the command' },
  { flags: '--version', about: 'print the version' },
];
