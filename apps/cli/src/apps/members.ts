import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { jsonObject } from '../settings/json-input.js';

type Table = Record<string, unknown>;

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const MEMBERS = ['key', 'enabled', 'policy', 'secret'];

/** Members of a record that `--file`, `--set` and `--unset` give; a removed member is null. */
export async function membersOf(invocation: Invocation): Promise<Table> {
  const { values } = invocation;
  const file = values.text('file');
  const members: Table =
    file === undefined ? {} : (structuredClone(await jsonObject(file, '--file', invocation)) as Table);
  for (const text of values.texts('set')) {
    const at = text.indexOf('=');
    if (at < 1) throw usageError(`--set "${text}" is malformed; expected PATH=VALUE`);
    put(members, text.slice(0, at), valueOf(text.slice(at + 1)));
  }
  for (const path of values.texts('unset')) put(members, path, null);
  return members;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function put(members: Table, path: string, value: unknown): void {
  const names = path.split('.');
  if (names.some((name) => name === '' || UNSAFE.has(name))) throw usageError(`path "${path}" is malformed`);
  if (!MEMBERS.includes(names[0] ?? ''))
    throw usageError(`unknown path "${path}"; a path begins with ${MEMBERS.join(', ')}`);
  let table = members;
  for (const name of names.slice(0, -1)) {
    const next = table[name];
    const inner: Table =
      typeof next === 'object' && next !== null && !Array.isArray(next) ? (next as Table) : {};
    table[name] = inner;
    table = inner;
  }
  table[names.at(-1) ?? ''] = value;
}

/** The record after a merge patch (RFC 7396): null removes a member, tables are merged, all else is replaced. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isTable(patch)) return patch;
  const result: Table = isTable(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
