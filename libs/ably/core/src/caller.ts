import type { Caller } from '@carillon/api-operations';
import type { Principal } from './authentication.js';
import { CompatError } from './compat-error.js';

/** The transport of an operation. */
export type Via = 'realtime' | 'rest';

export const NOT_GRANTED = 'operation not permitted with provided capability';

/** The right to update any message implies the right to append to any. */
const ALSO: Readonly<Record<string, string>> = {
  'message-append-any': 'message-update-any',
  'message-append-own': 'message-update-own',
};

/** Whether a principal may do this on the channel, whose name is the one without qualifier. */
export function mayDo({ capability }: Principal, operation: string, base: string): boolean {
  const also = ALSO[operation];
  return capability.allows(operation, base) || (also !== undefined && capability.allows(also, base));
}

/**
 * Converts a principal to the caller of an operation. `waived` are rights that operations require and Ably clients do
 * not need. Realtime frames are rate-limited on receipt.
 */
export function callerOf(principal: Principal, via: Via, waived: readonly string[] = []): Caller {
  const { app, keyName, clientId } = principal;
  return {
    app,
    via: 'compat',
    name: keyName,
    userId: clientId === '*' ? null : clientId,
    judgesNames: true,
    setsHeaders: true,
    ...(via === 'realtime' ? { isCounted: true as const } : {}),
    require: (right, channel) => {
      if (waived.includes(right)) return;
      if (channel === null || !mayDo(principal, right, channel)) throw new CompatError(40_160, NOT_GRANTED);
    },
  };
}
