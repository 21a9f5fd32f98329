import { configure } from '@carillon/config';
import type { Invocation } from '../program/invocation.js';
import { EXIT } from '../program/exit-codes.js';
import { PROCESSES, readServiceConfig } from '../service/service-config.js';

export async function run({ values, terminal, env, cwd }: Invocation): Promise<number> {
  const name = values.text('process') ?? 'server';
  const process_ = PROCESSES.find((one) => one === name) ?? 'server';
  const file = values.args[0] ?? values.text('config') ?? null;
  if (!terminal.json) {
    const argv = ['--check-config', ...(file === null ? [] : [`--config=${file}`])];
    const outcome = configure({ process: process_, argv, env: { ...env, LOG_OUTPUT_FORMAT: 'human' }, cwd });
    if (outcome.kind === 'run') return EXIT.done;
    terminal.text(outcome.stdout);
    process.stderr.write(outcome.stderr);
    return outcome.code;
  }
  const { problems, warnings, source } = readServiceConfig({ process: process_, file, env, cwd });
  terminal.document({ valid: problems.length === 0, file: source, problems, warnings });
  return problems.length === 0 ? EXIT.done : EXIT.configuration;
}
