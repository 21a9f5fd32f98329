// `npm start`: the whole service in one process, on embedded defaults, ready to be tried.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled } from './ensure.js';
import { root, say } from './workspace.js';

/**
 * What a first try needs and a configured service must not get: an app with published credentials. Its listeners
 * stay on the loopback address, because anybody may know its secret.
 */
const DEMO = {
  ENVIRONMENT: 'development',
  HOST: '127.0.0.1',
  METRICS_HOST: '127.0.0.1',
  HISTORY_ENABLED: 'true',
  PRESENCE_HISTORY_ENABLED: 'true',
  PUSH_STORAGE_DRIVER: 'postgres',
  PUSH_CREDENTIAL_ENCRYPTION_KEY: 'a key that anybody may know',
  PUSH_FCM_ENABLED: 'true',
  PUSH_APNS_ENABLED: 'true',
  PUSH_WEBPUSH_ENABLED: 'true',
  PUSH_HMS_ENABLED: 'true',
  PUSH_WNS_ENABLED: 'true',
  // Some server libraries take nothing but digits for an id.
  SERVICE_DEFAULT_APP_ID: '1001',
  SERVICE_DEFAULT_APP_KEY: 'demo-key',
  SERVICE_DEFAULT_APP_SECRET: 'demo-secret',
  SERVICE_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true',
  SERVICE_DEFAULT_APP_ENABLE_USER_AUTHENTICATION: 'true',
  SERVICE_DEFAULT_APP_ENABLE_WATCHLIST_EVENTS: 'true',
};

const set = (name) => (process.env[name] ?? '') !== '';

/** Whether somebody already said which apps there are: by a file, by an argument, or by the environment. */
function configured(args) {
  const files = ['config/config.toml', 'config/config.json'].some((name) => existsSync(join(root, name)));
  const named = args.some((arg) => arg === '-c' || arg.startsWith('--config'));
  return files || named || ['ID', 'KEY', 'SECRET'].some((part) => set(`SERVICE_DEFAULT_APP_${part}`));
}

/** Arguments with which the server answers and ends; the first two say nothing of a configuration. */
const QUESTIONS = ['--help', '--version', '--check-config', '--print-config', '--migrate'];
const asks = (args, questions) => args.some((arg) => questions.includes(arg));

function environment(args) {
  if (configured(args) || asks(args, QUESTIONS.slice(0, 2))) return process.env;
  const missing = Object.entries(DEMO).filter(([name]) => !set(name));
  say('no apps are configured, so this is a demo with one app, reachable from this machine only:');
  say(`  app id ${DEMO.SERVICE_DEFAULT_APP_ID}`);
  say(`  key    ${DEMO.SERVICE_DEFAULT_APP_KEY}`);
  say(`  secret ${DEMO.SERVICE_DEFAULT_APP_SECRET}`);
  return { ...process.env, ...Object.fromEntries(missing) };
}

const args = process.argv.slice(2);
await ensureInstalled();
await ensureBuilt();
const env = environment(args);
if (!asks(args, QUESTIONS)) say('starting the server; Ctrl-C drains and stops it, twice stops it at once');
// In a process group of its own, the server gets each stop request once and from here only: a terminal's Ctrl-C would
// otherwise reach it from the terminal, from npm and from this script, and its second signal means "at once".
const server = spawn(process.execPath, ['apps/server/dist/src/main.js', ...args], {
  cwd: root,
  env,
  stdio: 'inherit',
  detached: true,
});

/** Copies of one Ctrl-C arrive within this time; a later one is the user's second. */
const SAME_REQUEST_MS = 500;
let lastRequest = Number.NEGATIVE_INFINITY;
function stop(signal) {
  if (performance.now() - lastRequest < SAME_REQUEST_MS) return;
  lastRequest = performance.now();
  server.kill(signal);
}
process.on('SIGINT', () => stop('SIGINT'));
process.on('SIGTERM', () => stop('SIGTERM'));
process.on('SIGHUP', () => stop('SIGTERM'));
// A signal sent to npm ends npm's shell and is told to nobody else; the server must not outlive it unnoticed.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  stop('SIGTERM');
}, SAME_REQUEST_MS);
server.once('exit', (code) => process.exit(code ?? 1));
