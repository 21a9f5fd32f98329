import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import type { Broker, RevokedTokens } from '@carillon/broker';
import type { Logger } from '@carillon/runtime';
import { describe } from '../describe/description.js';
import { integerField, textField } from '../describe/field.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import { count, flag, object } from '../describe/shape.js';
import type { JsonObject } from '../json/json-body.js';
import type { Work } from '../operation.js';
import { orUnavailable } from '../unavailable.js';

const IDENTITY_BYTES = { minBytes: 1, maxBytes: 128 } as const;
/** A record is read whenever a token is checked. */
const MAX_REASON_BYTES = 4096;
const DEFAULT_TTL_SECONDS = 86_400;
/** 31 days. */
const MAX_TTL_SECONDS = 2_678_400;
/** No token lives longer, so neither does the revocation of one. */
const MAX_TOKEN_TTL_SECONDS = 86_400;

const BODY = {
  jti: textField('jti', 'Id of the token.', IDENTITY_BYTES),
  clientId: textField('client_id', 'Whose tokens, later ones included.', IDENTITY_BYTES),
  ttlSeconds: integerField('ttl_seconds', 'How long; wins over `expires_at`. 0 counts as 1.', 0),
  expiresAt: integerField(
    'expires_at',
    'Until when, in Unix seconds; a time that has passed counts as 1 second.',
  ),
  reason: textField('reason', 'Kept with the record; `revoked` when absent.', { maxBytes: MAX_REASON_BYTES }),
};

export const REVOKE_TOKENS = describe({
  area: 'tokens',
  summary: 'Revoke capability tokens',
  description: `From the answer on, every process refuses the token, or every token of the client, until the record lapses: after ${DEFAULT_TTL_SECONDS} seconds unless a time is given. Connections that hold one are closed with 4009 on every process; an api node tells them to and counts none.`,
  rate: null,
  body: {
    ...fieldsSchema(BODY),
    anyOf: [{ required: [BODY.jti.name] }, { required: [BODY.clientId.name] }],
  },
  result: object({
    revoked_jti: flag('A token id was given.'),
    revoked_client_id: flag('A client id was given.'),
    closed_connections: count('Connections closed, over all processes that answered.'),
  }),
});

export interface RevocationParts {
  readonly cache: Cache;
  readonly broker: Broker;
  /** Whether other processes can answer this one; false: they are notified without an answer. */
  readonly asks: boolean;
  readonly log: Logger;
  readonly nowSeconds: () => number;
}

/**
 * From the answer on, every process refuses the named token, or every token of the named client, until the record
 * lapses. Once the records are written, every process closes the connections that hold such a token; one that cannot be
 * reached is no failure, for it refuses the token as soon as it is shown again.
 */
export const revokeTokens =
  (parts: RevocationParts): Work<typeof REVOKE_TOKENS> =>
  async (caller, { body: { object: given } }) => {
    const { id } = caller.app;
    caller.require('admin', null);
    const jti = BODY.jti.of(given);
    const clientId = BODY.clientId.of(given);
    const ttl = ttlSeconds(given, parts.nowSeconds);
    const reason = BODY.reason.of(given) ?? 'revoked';
    if (jti === undefined && clientId === undefined) {
      throw new ServiceError('invalid_input', { text: 'one of jti and client_id is required' });
    }
    const write = (name: string, seconds: number): Promise<void> =>
      orUnavailable('revocation store unavailable', parts.cache.set(name, reason, seconds * 1000));
    if (jti !== undefined) await write(cacheKeys.revokedToken(id, jti), Math.min(ttl, MAX_TOKEN_TTL_SECONDS));
    if (clientId !== undefined) await write(cacheKeys.revokedClient(id, clientId), ttl);
    const closed = await close(parts, id, { jti: jti ?? null, clientId: clientId ?? null });
    return {
      value: {
        revoked_jti: jti !== undefined,
        revoked_client_id: clientId !== undefined,
        closed_connections: closed,
      },
    };
  };

/** Number of closed connections, as far as processes answered. */
async function close(parts: RevocationParts, appId: string, revoked: RevokedTokens): Promise<number> {
  const { broker, asks, log } = parts;
  if (!asks) {
    tell(parts, appId, revoked);
    return 0;
  }
  const { answer, complete } = await broker.ask('token_revoked', appId, revoked);
  if (!complete) {
    log.warn('not every process confirmed a revocation', { app_id: appId });
    // Processes that did not answer may have missed the request; for others a repeat has no effect.
    tell(parts, appId, revoked);
  }
  return answer;
}

function tell({ broker, log }: RevocationParts, appId: string, revoked: RevokedTokens): void {
  broker.tellTokensRevoked(appId, revoked)?.catch((error: unknown) => {
    log.warn('other processes not told of a revocation', { app_id: appId, error });
  });
}

function ttlSeconds(given: JsonObject, nowSeconds: () => number): number {
  const ttl = BODY.ttlSeconds.of(given);
  const expiresAt = BODY.expiresAt.of(given);
  const fromTime = expiresAt === undefined ? DEFAULT_TTL_SECONDS : expiresAt - nowSeconds();
  const seconds = Math.max(1, Math.ceil(ttl ?? fromTime));
  if (seconds <= MAX_TTL_SECONDS) return seconds;
  const name = ttl === undefined ? BODY.expiresAt.name : BODY.ttlSeconds.name;
  throw new ServiceError('invalid_input', {
    text: `${name} must be at most ${MAX_TTL_SECONDS} seconds ahead`,
  });
}
