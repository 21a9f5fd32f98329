import { isTable, typeOf } from '../kernel/read.js';
import type { Problem } from '../problem.js';
import type { Discovered } from './discover.js';
import type { Env } from './environment.js';
import { interpolate } from './interpolate.js';
import { parseFile } from './parse.js';

/** The file as raw tables, and the problems that made all or part of it unusable. */
export interface FileContent {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  /** False: there is a file, but nothing of it is known. */
  readonly read: boolean;
  /** Paths with an unresolved variable; no further problems are reported for these. */
  readonly unresolvedPaths: ReadonlySet<string>;
  readonly source: string | null;
}

function pathsHolding(tokens: readonly string[], raw: unknown, path: string): readonly string[] {
  if (typeof raw === 'string') return tokens.some((token) => raw.includes(token)) ? [path] : [];
  if (Array.isArray(raw)) {
    return raw.flatMap((item: unknown, index) => pathsHolding(tokens, item, `${path}[${index}]`));
  }
  if (!isTable(raw)) return [];
  return Object.entries(raw).flatMap(([key, value]) =>
    pathsHolding(tokens, value, path === '' ? key : `${path}.${key}`),
  );
}

const nothing = { raw: {}, problems: [], unresolvedPaths: new Set<string>() };

const unread = (source: string, message: string): FileContent => ({
  ...nothing,
  problems: [{ path: '', message }],
  read: false,
  source,
});

/** Interpolates and parses. A syntax error next to an unresolved variable is its consequence and left unsaid. */
export function readFile(found: Discovered, env: Env): FileContent {
  if (found.kind === 'none') return { ...nothing, read: true, source: null };
  const { path: source } = found;
  if (found.kind === 'failed') return unread(source, found.message);
  const { text, unresolved } = interpolate(found.text, env);
  const message = `unresolved environment variables in config: ${unresolved.join(', ')}`;
  const parsed = parseFile(source, text);
  if ('message' in parsed) return unread(source, unresolved.length > 0 ? message : parsed.message);
  if (!isTable(parsed.raw)) return unread(source, `${source}: expected table, got ${typeOf(parsed.raw)}`);
  const tokens = unresolved.map((name) => `\${${name}}`);
  return {
    raw: parsed.raw,
    problems: unresolved.length > 0 ? [{ path: '', message }] : [],
    read: true,
    unresolvedPaths: new Set(pathsHolding(tokens, parsed.raw, '')),
    source,
  };
}
