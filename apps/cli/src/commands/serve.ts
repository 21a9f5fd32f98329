import { fileURLToPath } from 'node:url';
import type { Invocation } from '../program/invocation.js';
import { demoEnvironment, isConfigured } from '../service/demo.js';

const SERVER = fileURLToPath(new URL('../service/server-main.js', import.meta.url));

/** Becomes the all-in-one server: it reads its own flags, and ends the process with its own exit codes. */
export async function run({ values, terminal, env, cwd }: Invocation): Promise<void> {
  const args = ['config', 'workers'].flatMap((flag) => {
    const value = values.text(flag);
    return value === undefined ? [] : [`--${flag}`, value];
  });
  if (values.has('migrate')) args.push('--migrate');
  if (values.has('json')) process.env['LOG_OUTPUT_FORMAT'] = 'json';
  if (!values.has('config') && !isConfigured(env, cwd)) {
    Object.assign(process.env, demoEnvironment(env));
    if (terminal.isInteractive) announceDemo(terminal, process.env);
  }
  process.argv = [process.execPath, SERVER, ...args];
  await import('../service/server-main.js');
}

function announceDemo(terminal: Invocation['terminal'], env: Invocation['env']): void {
  terminal.note('no apps are configured: demo with one app, reachable from this machine only');
  terminal.note(`  url    http://127.0.0.1:${env['PORT'] ?? '6001'}`);
  terminal.note(`  app id ${env['SERVICE_DEFAULT_APP_ID'] ?? ''}`);
  terminal.note(`  key    ${env['SERVICE_DEFAULT_APP_KEY'] ?? ''}`);
  terminal.note(`  secret ${env['SERVICE_DEFAULT_APP_SECRET'] ?? ''}`);
}
