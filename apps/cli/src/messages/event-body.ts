import { randomUUID } from 'node:crypto';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { inputBytes, utf8Text } from '../settings/stdin.js';

/** The members of a publish request that flags give; undefined ones are left out of the JSON. */
export function eventMembers({ values }: Pick<Invocation, 'values'>, excluded: string | undefined): object {
  const headers = values.pairs('header');
  const isEphemeral = values.has('ephemeral');
  const hasHeaders = Object.keys(headers).length > 0;
  const extras = {
    ...(hasHeaders ? { headers } : {}),
    ...(isEphemeral ? { ephemeral: true } : {}),
  };
  const tags = values.pairs('tag');
  return {
    socket_id: excluded,
    info: values.text('info'),
    tags: Object.keys(tags).length > 0 ? tags : undefined,
    delta: values.has('no-delta') ? false : undefined,
    message_id: values.text('message-id'),
    extras: hasHeaders || isEphemeral ? extras : undefined,
  };
}

/** Data as the exact text that subscribers receive; undefined: none is given. */
export async function dataText(
  text: string | undefined,
  name: string,
  invocation: Invocation,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const bytes = await inputBytes(text, name, invocation);
  return invocation.values.has('base64') ? bytes.toString('base64') : utf8Text(bytes, name);
}

/** The given key, or a random one: a repetition after a lost answer has no second effect. */
export function idempotencyKey({ values }: Pick<Invocation, 'values'>): string {
  const given = values.text('idempotency-key');
  if (given === '') throw usageError('--idempotency-key is empty');
  return given ?? randomUUID();
}
