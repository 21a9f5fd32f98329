import { createRequire } from 'node:module';
import { readCommandLine, USAGE } from './command-line.js';
import type { Env } from './load/environment.js';
import { nodeFiles, type Files } from './load/files.js';
import { load } from './load/load.js';
import type { Problem } from './problem.js';
import type { ProcessKind } from './process-kind.js';
import { printable } from './redact.js';
import { jsonReport, textReport, warningLines } from './report.js';
import type { AvailableDrivers } from './rules/rule.js';
import type { Config } from './schema/index.js';

export interface ConfigureInput {
  readonly process: ProcessKind;
  /** The arguments behind the program's name. */
  readonly argv: readonly string[];
  readonly env: Env;
  /** The base of relative paths. */
  readonly cwd: string;
  /** Absent: the disk. */
  readonly files?: Files;
  /** Absent: every driver is available. */
  readonly drivers?: AvailableDrivers;
}

/** Either a valid configuration, or the output to print before exiting. */
export type Configured =
  | {
      readonly kind: 'run';
      readonly config: Config;
      readonly warnings: readonly Problem[];
      /** The file that was read; null when only defaults and variables count. */
      readonly source: string | null;
      /** Whether to stop as soon as everything it needs is reached, and so every table made. */
      readonly migrates: boolean;
      /** The number of processes that share the main port; 1: this process serves it. */
      readonly workers: number;
    }
  | { readonly kind: 'exit'; readonly code: number; readonly stdout: string; readonly stderr: string };

/** The deployables that serve the main port to clients and can therefore run as several processes. */
const SHARING: ReadonlySet<ProcessKind> = new Set(['server', 'gateway', 'api']);

/** Exit codes of the service. */
const EXIT = { stop: 0, failure: 1, usage: 64, configuration: 78 } as const;

const exit = (code: number, stdout: string, stderr: string): Configured => ({
  kind: 'exit',
  code,
  stdout,
  stderr,
});

function version(): string {
  const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };
  return manifest.version;
}

/**
 * Decides what the process does: reads the command line, the file and the environment. Opens only the configuration
 * and the certificates it names, prints nothing, never throws for bad input.
 */
export function configure(input: ConfigureInput): Configured {
  const command = readCommandLine(input.argv);
  if (command.kind === 'usage-error') return exit(EXIT.usage, '', `${command.message}\n\n${USAGE}`);
  if (command.kind === 'help') return exit(EXIT.stop, USAGE, '');
  if (command.kind === 'version') return exit(EXIT.stop, `${version()}\n`, '');
  const { files = nodeFiles, drivers = {}, process, env, cwd } = input;
  const { workers } = command;
  if (workers > 1 && !SHARING.has(process))
    return exit(EXIT.usage, '', `--workers is not for ${process}\n\n${USAGE}`);
  const { config, problems, warnings, source } = load({
    process,
    env,
    cwd,
    files,
    drivers,
    named: command.file,
    workers,
  });
  if (problems.length > 0) {
    const json = config.logging.format === 'json';
    return exit(EXIT.configuration, '', json ? jsonReport(problems, new Date()) : textReport(problems));
  }
  const migrates = command.kind === 'migrate';
  if (migrates || command.kind === 'run') return { kind: 'run', config, warnings, source, workers, migrates };
  const stdout =
    command.kind === 'check'
      ? `configuration OK (${warnings.length} warnings)\n`
      : `${JSON.stringify(printable(config), null, 2)}\n`;
  return exit(EXIT.stop, stdout, warningLines(warnings));
}
