import { configure } from '@carillon/config';
import {
  installOutbox,
  type OutboxInstallation,
  outboxSql,
  type SourceConfig,
} from '@carillon/ingest-source';

/** What a command printed and how it ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const EXIT = { done: 0, failure: 1, usage: 64 } as const;
const COMMANDS = ['--install', '--print-sql'] as const;
type Name = (typeof COMMANDS)[number];

/**
 * Runs `--install SOURCE` or `--print-sql SOURCE`. Returns null if the arguments contain neither. `--print-sql` contacts
 * nothing.
 */
export async function runIngestCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<CommandResult | null> {
  const found = commandOf(argv);
  if (found === null) return null;
  const { name, sourceName, rest } = found;
  if (sourceName === '') return failed(EXIT.usage, `${name} needs the name of a source`);
  const outcome = configure({ process: 'ingest', argv: rest, env, cwd });
  if (outcome.kind === 'exit') return outcome;
  const source = outcome.config.ingest.sources.find((one) => one.name === sourceName);
  if (source === undefined) return failed(EXIT.usage, `ingest source "${sourceName}" is not configured`);
  if (source.type !== 'postgres')
    return failed(EXIT.usage, `ingest source "${sourceName}" is a consumer and has nothing to install`);
  const installation = installationOf(source);
  return name === '--print-sql'
    ? { code: EXIT.done, stdout: outboxSql(installation), stderr: '' }
    : install(sourceName, installation);
}

async function install(source: string, installation: OutboxInstallation): Promise<CommandResult> {
  try {
    const version = await installOutbox(installation);
    const stdout = `source "${source}": schema "${installation.schema}" is at version ${version}\n`;
    return { code: EXIT.done, stdout, stderr: '' };
  } catch (error) {
    return failed(
      EXIT.failure,
      `source "${source}": ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const failed = (code: number, message: string): CommandResult => ({
  code,
  stdout: '',
  stderr: `${message}\n`,
});

const installationOf = ({ install_url, url, schema, rotate_seconds }: SourceConfig): OutboxInstallation => ({
  url: (install_url ?? url)?.reveal() ?? '',
  schema,
  rotateSeconds: rotate_seconds,
});

/** The command and the arguments without it. */
function commandOf(argv: readonly string[]): { name: Name; sourceName: string; rest: string[] } | null {
  for (const name of COMMANDS) {
    const index = argv.findIndex((argument) => argument === name || argument.startsWith(`${name}=`));
    if (index === -1) continue;
    const inline = argv[index]?.slice(name.length + 1) ?? '';
    const width = argv[index] === name ? 2 : 1;
    const sourceName = width === 2 ? (argv[index + 1] ?? '') : inline;
    return { name, sourceName, rest: [...argv.slice(0, index), ...argv.slice(index + width)] };
  }
  return null;
}
