import { isJsonObject, type JsonObject } from '@carillon/api-operations';
import type { PrincipalApps } from '../calls/apps.js';
import type { CallContext } from '../calls/context.js';
import type { ToolCalls } from '../calls/tool-calls.js';
import { promptsFor } from '../prompts/prompts.js';
import { invalidParams } from '../rpc/failure.js';
import type { Toolbox } from '../tools/toolbox.js';
import { paramsOf } from './params.js';
import type { Resources } from './resources.js';

export interface CompletionParts {
  readonly apps: PrincipalApps;
  readonly calls: ToolCalls;
  readonly resources: Resources;
  readonly toolbox: () => Toolbox;
}

const MAX_VALUES = 100;

/**
 * `completion/complete`: ids of apps and names of occupied channels; nothing for anything else.
 *
 * @throws RpcFailure when it is about a prompt or template that is not there.
 */
export async function complete(
  parts: CompletionParts,
  context: CallContext,
  params: unknown,
): Promise<object> {
  const { ref, argument, context: given } = paramsOf(params);
  checkReference(parts, context, ref);
  if (!isJsonObject(argument)) throw invalidParams('argument must be an object');
  const { name, value } = argument;
  if (typeof name !== 'string' || typeof value !== 'string')
    throw invalidParams('argument.name and argument.value must be strings');
  const values = await valuesFor(parts, context, name, value, chosen(given));
  const page = values.slice(0, MAX_VALUES);
  return { completion: { values: page, total: values.length, hasMore: values.length > page.length } };
}

function checkReference({ resources, toolbox }: CompletionParts, context: CallContext, ref: unknown): void {
  if (!isJsonObject(ref)) throw invalidParams('ref must be an object');
  const isKnown =
    ref['type'] === 'ref/prompt'
      ? promptsFor(context.principal, toolbox()).some(({ name }) => name === ref['name'])
      : ref['type'] === 'ref/resource' &&
        typeof ref['uri'] === 'string' &&
        resources.template(context, ref['uri']) !== null;
  if (!isKnown) throw invalidParams('unknown reference');
}

/** Arguments already chosen. */
const chosen = (given: unknown): JsonObject =>
  isJsonObject(given) && isJsonObject(given['arguments']) ? given['arguments'] : {};

async function valuesFor(
  { apps, calls, toolbox }: CompletionParts,
  { principal, signal }: CallContext,
  name: string,
  value: string,
  before: JsonObject,
): Promise<readonly string[]> {
  if (name === 'app_id' || name === 'appId') return apps.startingWith(principal, value);
  const tool = toolbox().find('list_channels');
  const app = before['app_id'] ?? before['appId'];
  if (name !== 'channel' || tool === null || typeof app !== 'string') return [];
  const asked = { principal, given: { app_id: app, filter_by_prefix: value }, text: '{}', signal };
  const { outcome } = await calls.call(tool, asked);
  if (outcome.kind !== 'ok' || !('channels' in outcome.value)) return [];
  return Object.keys(outcome.value.channels as object).sort();
}
