import { setMaxListeners } from 'node:events';
import { Terminal } from './output/terminal.js';
import { docsOf } from './program/documentation.js';
import { requestError } from './api/request-errors.js';
import { CommandError, interrupted, usageError } from './program/errors.js';
import { EXIT } from './program/exit-codes.js';
import { helpText } from './program/help.js';
import type { Invocation } from './program/invocation.js';
import { textsOf } from './program/texts.js';
import { type Parsed, parse } from './program/parse.js';
import type { CommandSpec } from './program/spec.js';
import { Values } from './program/values.js';
import type { Connection } from './settings/connection.js';
import { COMMANDS } from './tree.js';

/** From the first signal to the end of a command that does not stop by itself. */
const STOP_WITHIN_MS = 2000;

/** Runs the program with the arguments, streams and signals of this process. */
async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  let terminal = terminalOf(new Values([], new Map()), argv.includes('--json'));
  const stop = new AbortController();
  // Every request and connection of a call listens to it.
  setMaxListeners(0, stop.signal);
  try {
    const parsed = parse(COMMANDS, argv);
    if (parsed.kind === 'help') return await exit(printed(helpText(parsed.path)));
    terminal = terminalOf(parsed.values);
    const { path, module } = await loaded(parsed);
    const isServer = path.at(-1)?.name === 'serve' && path.length === 2;
    if (!isServer) endOnClosedOutput();
    const stopsWithin = isServer ? null : endOnSignals(stop, path.at(-1)?.isStream === true);
    const code = await module.run(invocationOf(parsed.values, terminal, stop.signal));
    stopsWithin?.();
    if (!isServer) await exit(code ?? EXIT.done);
  } catch (error) {
    const known = requestError(stop.signal.aborted ? stop.signal.reason : error, 'the service');
    terminal.error(known, docsOf(known.code, known.exitCode));
    await exit(known.exitCode);
  }
}

async function loaded(parsed: Exclude<Parsed, { kind: 'help' }>) {
  if (parsed.kind === 'version')
    return { path: [] as readonly CommandSpec[], module: await import('./commands/version.js') };
  const { path } = parsed;
  const load = path.at(-1)?.load;
  if (load === undefined) throw new CommandError('the command has no code', { code: 'failed', exitCode: 1 });
  return { path, module: await load() };
}

function terminalOf(values: Values, json = values.has('json')): Terminal {
  const color = values.has('no-color') ? false : values.has('color') ? true : null;
  const { stdout, stderr, env } = process;
  const [quiet, verbose] = [values.has('quiet'), values.has('verbose')];
  return new Terminal({ stdout, stderr, json, quiet, verbose, color, env });
}

function invocationOf(values: Values, terminal: Terminal, signal: AbortSignal): Invocation {
  let connection: Promise<Connection> | null = null;
  let stdinReader: string | null = null;
  const base = {
    values,
    texts: textsOf(COMMANDS),
    terminal,
    signal,
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    claimStdin: (reader: string): void => {
      if (stdinReader !== null)
        throw usageError(`standard input is read by ${stdinReader}; ${reader} cannot read it too`);
      stdinReader = reader;
    },
  };
  return {
    ...base,
    connection: () => {
      connection ??= import('./settings/resolve.js').then(({ resolveConnection }) => resolveConnection(base));
      return connection;
    },
  };
}

/** A reader that went away, as `head -1` does, ends the program without an error. */
function endOnClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
  );
}

/** The first signal aborts the invocation, the second ends the process. Returns a function that ends the limit of time. */
function endOnSignals(stop: AbortController, isStream: boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  const on = (name: NodeJS.Signals): void => {
    const reason = interrupted(name);
    if (stop.signal.aborted) process.exit(reason.exitCode);
    timer = setTimeout(() => process.exit(isStream ? EXIT.done : reason.exitCode), STOP_WITHIN_MS);
    stop.abort(reason);
  };
  process.on('SIGINT', on).on('SIGTERM', on);
  return () => clearTimeout(timer);
}

function printed(text: string): number {
  process.stdout.write(text);
  return EXIT.done;
}

/** Ends the process when everything is written: sockets that are kept alive would delay it. */
async function exit(code: number): Promise<void> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((done) => void stream.write('', () => done()));

await main();
