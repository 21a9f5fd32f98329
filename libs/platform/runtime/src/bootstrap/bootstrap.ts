import { type Config, configure, type Configured } from '@carillon/config';
import type { Logging } from '../logging/logging.js';
import { workersPlan } from '../workers/plan.js';
import { configuredLogging, createParts, shutdownOptions } from './create-parts.js';
import { IN_PROCESS_DRIVERS } from './in-process-drivers.js';
import { start } from './start.js';
import { serviceVersion } from './version.js';
import { setV8Flags } from './v8-flags.js';
import type { AppDefinition } from './app-definition.js';

/**
 * Runs an app: reads the configuration, starts, serves, and stops on a signal. With `--workers` it only prints how
 * they are run, see `launch`. Exit codes: 0 normal stop, 1 a missing dependency at start or unfinished work at stop,
 * 64 invalid command line, 78 invalid configuration.
 */
export async function bootstrap(definition: AppDefinition): Promise<void> {
  const outcome = read(definition);
  if (outcome.kind === 'exit') {
    process.stdout.write(outcome.stdout);
    process.stderr.write(outcome.stderr);
    process.exitCode = outcome.code;
    return;
  }
  if (outcome.workers > 1) await tellPlan(outcome);
  else await serve(outcome, definition);
}

const read = (definition: AppDefinition, env: NodeJS.ProcessEnv = process.env): Configured =>
  configure({
    process: definition.process,
    drivers: { ...IN_PROCESS_DRIVERS, ...definition.drivers },
    argv: process.argv.slice(2),
    env,
    cwd: process.cwd(),
  });

type Run = Extract<Configured, { kind: 'run' }>;

/** Prints the plan for the process that supervises the workers. */
async function tellPlan(run: Run): Promise<void> {
  const { config } = run;
  const plan = workersPlan(run, shutdownOptions(config), configuredLogging(config));
  if (process.send === undefined) throw new Error('a program with workers starts through launch()');
  await new Promise((told) => process.send?.(plan, told));
  process.disconnect();
}

/** A process that only makes tables has no clients to wait for. */
const briefly = (config: Config): Config => ({
  ...config,
  shutdown_grace_period: 0,
  drain: { ...config.drain, delay_ms: 0 },
});

async function serve({ config, warnings, source, migrates }: Run, definition: AppDefinition): Promise<void> {
  const v8Flags = setV8Flags(config);
  // The name it gave itself is its name for good.
  const env = { ...process.env, INSTANCE_PROCESS_ID: config.instance.process_id };
  const parts = createParts(migrates ? briefly(config) : config, () => read(definition, env));
  exitOnUncaught(parts.logging);
  const log = parts.logging.for('service::config');
  for (const { path, message } of warnings) log.warn(path === '' ? message : `${path}: ${message}`);
  log.info('configuration loaded', {
    source: source ?? 'defaults and environment',
    v8_flags: v8Flags.join(' '),
  });
  try {
    await start(parts, definition, serviceVersion());
    // Tables are made where a dependency is reached, and all of them are.
    if (migrates) await parts.shutdown.stop('the tables are up to date');
  } catch (error) {
    // A requested stop explains every failure of the start, and exits by itself.
    if (parts.process.current === 'STARTING') exit(parts.logging, 'start failed', error);
  }
}

/** An uncaught error leaves the process in an unknown state: it exits, to be restarted. */
function exitOnUncaught(logging: Logging): void {
  process.on('uncaughtException', (error) => exit(logging, 'uncaught exception', error));
  process.on('unhandledRejection', (error) => exit(logging, 'unhandled rejection', error));
}

function exit(logging: Logging, message: string, error: unknown): never {
  logging.for('service::ops').error(message, { error });
  logging.flush();
  process.exit(1);
}
