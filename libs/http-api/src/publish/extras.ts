import { ServiceError } from '@carillon/errors';
import type { JsonObject } from '../json/json-body.js';
import { booleanMember, member, objectMember, stringMember } from '../json/members.js';

/** What the HTTP side itself needs of `extras`; the rest is for protocol 2 subscribers. */
export interface Extras {
  readonly idempotencyKey: string | undefined;
  /** For sockets connected now only. */
  readonly isEphemeral: boolean;
  /** Whether it carries AI transport headers. */
  readonly isAi: boolean;
}

const FLAT = new Set(['string', 'number', 'boolean']);

/** Checks the shape of the members that mean something; others are free. Undefined: the event has no extras. */
export function readExtras(event: JsonObject): Extras | undefined {
  const extras = objectMember(event, 'extras');
  if (extras === undefined) return undefined;
  const headers = objectMember(extras, 'headers') ?? {};
  if (!Object.keys(headers).every((name) => isFlat(member(headers, name)))) {
    throw new ServiceError('invalid_input', {
      text: 'extras.headers must hold only strings, numbers and booleans',
    });
  }
  const isEphemeral = booleanMember(extras, 'ephemeral') === true;
  booleanMember(extras, 'echo');
  objectMember(extras, 'push');
  const isAi = objectMember(extras, 'ai') !== undefined;
  return { idempotencyKey: stringMember(extras, 'idempotencyKey'), isEphemeral, isAi };
}

const isFlat = (value: unknown): boolean => value === undefined || FLAT.has(typeof value);

/** Checks `tags`: an object of strings. */
export function checkTags(event: JsonObject): void {
  const tags = objectMember(event, 'tags') ?? {};
  for (const name of Object.keys(tags)) {
    if (typeof (tags[name] ?? '') !== 'string') {
      throw new ServiceError('invalid_input', { text: 'tags must hold only strings' });
    }
  }
}
