import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contract';
import { ServiceError } from '@carillon/errors';
import type { JsonObject } from './json/json-body.js';
import { integerMember, stringMember } from './json/members.js';
import type { Call, Endpoint, Reply } from './pipeline/call.js';
import { orUnavailable } from './unavailable.js';

const MAX_IDENTITY_BYTES = 128;
/** As long as other processes can be told; see `TOKEN_REVOKED`. */
const MAX_REASON_BYTES = 4096;
const DEFAULT_TTL_SECONDS = 86_400;
/** A hundred years: longer ones mean the same, and stores cannot count them. */
const MAX_TTL_SECONDS = 3_153_600_000;

/**
 * `POST /apps/{appId}/revocations`: from the answer on, every process refuses the named token, or every token of the
 * named client, until the record lapses. Only records are written here: no process holds token sockets to close yet.
 */
export class RevokeTokensEndpoint implements Endpoint {
  readonly rate = null;

  constructor(
    private readonly cache: Cache,
    private readonly nowSeconds: () => number,
  ) {}

  async answer({ app, body: { object } }: Call): Promise<Reply> {
    const jti = identity(object, 'jti');
    const clientId = identity(object, 'client_id');
    const ttlMs = this.#ttlSeconds(object) * 1000;
    const reason = readReason(object);
    if (jti === undefined && clientId === undefined) {
      throw new ServiceError('invalid_input', { text: 'one of jti and client_id is required' });
    }
    const write = (name: string): Promise<void> =>
      orUnavailable('revocation store unavailable', this.cache.set(name, reason, ttlMs));
    if (jti !== undefined) await write(cacheKeys.revokedToken(app.id, jti));
    if (clientId !== undefined) await write(cacheKeys.revokedClient(app.id, clientId));
    const body = {
      revoked_jti: jti !== undefined,
      revoked_client_id: clientId !== undefined,
      closed_connections: 0,
    };
    return { text: JSON.stringify(body) };
  }

  #ttlSeconds(object: JsonObject): number {
    const ttl = integerMember(object, 'ttl_seconds');
    const expiresAt = integerMember(object, 'expires_at');
    if (ttl !== undefined && ttl < 0) {
      throw new ServiceError('invalid_input', { text: 'ttl_seconds must not be negative' });
    }
    const fromTime = expiresAt === undefined ? DEFAULT_TTL_SECONDS : expiresAt - this.nowSeconds();
    return Math.min(MAX_TTL_SECONDS, Math.max(1, Math.ceil(ttl ?? fromTime)));
  }
}

function identity(object: JsonObject, name: string): string | undefined {
  const value = stringMember(object, name);
  if (value === undefined || (value !== '' && Buffer.byteLength(value) <= MAX_IDENTITY_BYTES)) return value;
  throw new ServiceError('invalid_input', { text: `${name} must have 1 to ${MAX_IDENTITY_BYTES} bytes` });
}

function readReason(object: JsonObject): string {
  const reason = stringMember(object, 'reason') ?? 'revoked';
  if (Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  throw new ServiceError('invalid_input', { text: `reason is longer than ${MAX_REASON_BYTES} bytes` });
}
