import { resolve } from 'node:path';
import { configure, type Configured, type ConfigureInput, type Files } from '../src/index.js';

/** Working directory of the tests. */
export const CWD = resolve('/srv/carillon');

/** Files held in memory; names are relative to the working directory. */
export function memoryFiles(contents: Readonly<Record<string, string>>): Files {
  const byPath = new Map(Object.entries(contents).map(([name, text]) => [resolve(CWD, name), text]));
  return {
    exists: (path) => byPath.has(path),
    read: (path) => {
      const text = byPath.get(path);
      if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
      return text;
    },
  };
}

type Given = Partial<Omit<ConfigureInput, 'files'>> & {
  readonly toml?: string;
  readonly json?: unknown;
  readonly files?: Readonly<Record<string, string>>;
};

/** Configures a server from the given input only. */
export function configured(given: Given = {}): Configured {
  const { toml, json, files = {}, ...rest } = given;
  const contents = {
    ...(toml === undefined ? {} : { 'config/config.toml': toml }),
    ...(json === undefined ? {} : { 'config/config.json': JSON.stringify(json) }),
    ...files,
  };
  return configure({ process: 'server', argv: [], env: {}, cwd: CWD, ...rest, files: memoryFiles(contents) });
}

export type Run = Extract<Configured, { kind: 'run' }>;
export type Exit = Extract<Configured, { kind: 'exit' }>;

/** Returns the run, or fails the test with its problems. */
export function runs(given: Given = {}): Run {
  const result = configured(given);
  if (result.kind === 'exit') throw new Error(`unexpected exit ${result.code}: ${result.stderr}`);
  return result;
}

export function exits(given: Given = {}): Exit {
  const result = configured(given);
  if (result.kind === 'run') throw new Error('unexpected run');
  return result;
}

/** The problems of an invalid configuration, one line each, without their numbers. */
export function problems(given: Given): readonly string[] {
  const { code, stderr } = exits(given);
  if (code !== 78) throw new Error(`exit ${code}: ${stderr}`);
  return stderr
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^ +\d+\. /, ''));
}

/** The tree `--print-config` shows. */
export function printed(given: Given = {}): Record<string, unknown> {
  const { code, stdout, stderr } = exits({ ...given, argv: [...(given.argv ?? []), '--print-config'] });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

export const app = (id: string, key = `${id}-key`): Record<string, unknown> => ({
  id,
  key,
  secret: `${id}-secret`,
});
