import { ServiceError } from '@carillon/errors';
import type { JsonObject } from '../json/json-body.js';
import { EVENT, EXTRAS } from './event-fields.js';

/** Members of `extras` used by the HTTP API; the rest is for protocol 2 subscribers. */
export interface Extras {
  readonly idempotencyKey: string | undefined;
  /** For sockets connected now only. */
  readonly isEphemeral: boolean;
  /** `extras.ai`; undefined: it carries no headers of AI transport. */
  readonly ai: unknown;
  /** Push payload for devices; null: none. */
  readonly push: JsonObject | null;
}

/** Reads the members that mean something; others are free. Undefined: the event has no extras. */
export function readExtras(event: JsonObject): Extras | undefined {
  const extras = EVENT.extras.of(event);
  if (extras === undefined) return undefined;
  const isEphemeral = EXTRAS.ephemeral.of(extras) === true;
  const push = EXTRAS.push.of(extras) ?? null;
  const ai = EXTRAS.ai.of(extras);
  return { idempotencyKey: EXTRAS.idempotencyKey.of(extras), isEphemeral, push, ai };
}

/** Checks `tags`: an object of strings. */
export function checkTags(event: JsonObject): void {
  const tags = EVENT.tags.of(event) ?? {};
  for (const name of Object.keys(tags)) {
    if (typeof (tags[name] ?? '') !== 'string') {
      throw new ServiceError('invalid_input', { text: 'tags must hold only strings' });
    }
  }
}
