import { isJsonObject } from '@carillon/api-operations';
import type { Principal } from '../guards/principals.js';
import { invalidParams } from '../rpc/failure.js';
import type { Toolbox } from '../tools/toolbox.js';
import { PROMPT_ROWS, type PromptRow } from './rows.js';

const MAX_BYTES = 1024;

/** Prompts of a principal: it may read, and sees all tools named. */
export function promptsFor(principal: Principal, toolbox: Toolbox): readonly PromptRow[] {
  if (!principal.scopes.has('read')) return [];
  const shown = new Set(toolbox.visibleTo(principal).map(({ name }) => name));
  return PROMPT_ROWS.filter(({ tools }) => tools.every((tool) => shown.has(tool)));
}

export const promptDefinition = (
  { name, title, description, arguments: list }: PromptRow,
  isOldest: boolean,
): object => ({
  name,
  ...(isOldest ? {} : { title }),
  description,
  arguments: list,
});

/**
 * Messages of a prompt.
 * @throws RpcFailure for invalid arguments
 */
export function promptMessages(row: PromptRow, given: unknown): object {
  const values = readArguments(row, given);
  const say = (name: string): string => JSON.stringify(values[name] ?? '');
  const where = values['app_id'] === undefined ? '' : ` of the app ${say('app_id')}`;
  const content = { type: 'text', text: row.text(say, where) };
  return { description: row.description, messages: [{ role: 'user', content }] };
}

function readArguments(row: PromptRow, given: unknown): Readonly<Record<string, string>> {
  if (given !== undefined && !isJsonObject(given)) throw invalidParams('arguments must be an object');
  const values: Record<string, string> = {};
  for (const { name, required } of row.arguments) {
    const value = isJsonObject(given) && Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && !required) continue;
    if (typeof value !== 'string') throw invalidParams(`argument ${name} must be a string`);
    if (Buffer.byteLength(value) > MAX_BYTES)
      throw invalidParams(`argument ${name} must have at most ${MAX_BYTES} bytes`);
    values[name] = value;
  }
  return values;
}
