import { configure } from '@carillon/config';
import type { Invocation } from '../program/invocation.js';
import { EXIT } from '../program/exit-codes.js';
import { PROCESSES } from '../service/service-config.js';

export async function run({ values, terminal, env, cwd }: Invocation): Promise<number> {
  const name = values.text('process') ?? 'server';
  const file = values.args[0] ?? values.text('config');
  const argv = ['--print-config', ...(file === undefined ? [] : [`--config=${file}`])];
  const outcome = configure({
    process: PROCESSES.find((one) => one === name) ?? 'server',
    argv,
    env,
    cwd,
  });
  if (outcome.kind === 'run') return EXIT.done;
  terminal.text(outcome.stdout);
  process.stderr.write(outcome.stderr);
  return outcome.code;
}
