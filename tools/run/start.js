// `npm start`: the whole service in one process, on embedded defaults, ready to be tried.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled } from './ensure.js';
import { root, say } from './workspace.js';

/** Arguments with which the server answers and ends; the first two say nothing of a configuration. */
const QUESTIONS = ['--help', '--version', '--check-config', '--print-config', '--migrate'];
const asks = (args, questions) => args.some((arg) => questions.includes(arg));

/** Whether an argument names a configuration. */
const namesFile = (args) => args.some((arg) => arg === '-c' || arg.startsWith('--config'));

/** Without configured apps, the settings of the demo of `carillon serve`. */
async function environment(args) {
  const { demoEnvironment, isConfigured } = await import(
    pathToFileURL(join(root, 'apps/cli/dist/src/service/demo.js')).href
  );
  const isDemo = !namesFile(args) && !isConfigured(process.env, root) && !asks(args, QUESTIONS.slice(0, 2));
  if (!isDemo) return process.env;
  const env = { ...process.env, ...demoEnvironment(process.env) };
  say('no apps are configured, so this is a demo with one app, reachable from this machine only:');
  say(`  app id ${env.SERVICE_DEFAULT_APP_ID}`);
  say(`  key    ${env.SERVICE_DEFAULT_APP_KEY}`);
  say(`  secret ${env.SERVICE_DEFAULT_APP_SECRET}`);
  return env;
}

const args = process.argv.slice(2);
await ensureInstalled();
await ensureBuilt();
const env = await environment(args);
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
