import { invalid } from '../errors.js';
import type { Encryptor } from '../options.js';
import { base64UrlOf, bytesOf, type Hmac, randomText } from '../requests/crypto.js';

const SOCKET_ID = /^\d+\.\d+$/;
const MAX_ID_BYTES = 128;
const MAX_PATTERNS = 100;
const MAX_LIFE_SECONDS = 86_400;

/** Every operation that a capability can permit. */
export const OPERATIONS = [
  'subscribe',
  'publish',
  'presence',
  'history',
  'message-update-own',
  'message-update-any',
  'message-delete-own',
  'message-delete-any',
  'message-append-own',
  'message-append-any',
  'annotation-publish',
  'annotation-subscribe',
  'annotation-delete-own',
  'annotation-delete-any',
] as const;

export type Operation = (typeof OPERATIONS)[number];

export interface Member {
  readonly user_id: string;
  readonly user_info?: unknown;
}

export interface User {
  readonly id: string;
  readonly user_info?: unknown;
  /** Users whose online state the user is notified of. */
  readonly watchlist?: readonly string[];
  readonly [more: string]: unknown;
}

export interface TokenClaims {
  readonly clientId: string;
  /** Operations by channel or pattern. */
  readonly capability: Readonly<Record<string, readonly Operation[]>>;
  /** Default 3,600, at most 86,400. */
  readonly ttlSeconds?: number;
  /** Absent: a new one. */
  readonly jti?: string;
}

/** Signs the credentials that clients present to the service. */
export class Authority {
  constructor(
    private readonly parts: {
      readonly key: string;
      readonly hmac: Hmac;
      readonly vendor: string;
      readonly nowSeconds: () => number;
      readonly encryptor: Encryptor | undefined;
    },
  ) {}

  async channel(
    socketId: string,
    channel: string,
    member?: Member,
  ): Promise<{ auth: string; channel_data?: string; shared_secret?: string }> {
    requireSocketId(socketId);
    if (channel === '') throw invalid('the name of the channel is empty');
    const data = member === undefined ? undefined : JSON.stringify(member);
    const { encryptor } = this.parts;
    return {
      auth: await this.#sign(`${socketId}:${channel}${data === undefined ? '' : `:${data}`}`),
      ...(data === undefined ? {} : { channel_data: data }),
      ...(encryptor !== undefined && channel.startsWith('private-encrypted-')
        ? { shared_secret: await encryptor.sharedSecret(channel) }
        : {}),
    };
  }

  async user(socketId: string, user: User): Promise<{ auth: string; user_data: string }> {
    requireSocketId(socketId);
    if (typeof user.id !== 'string' || user.id === '') throw invalid('the id of the user is empty');
    const data = JSON.stringify(user);
    return { auth: await this.#sign(`${socketId}::user::${data}`), user_data: data };
  }

  async token({
    clientId,
    capability,
    ttlSeconds = 3600,
    jti = randomText(16),
  }: TokenClaims): Promise<string> {
    requireClaims(clientId, capability, ttlSeconds, jti);
    const { key, hmac, vendor, nowSeconds } = this.parts;
    const iat = nowSeconds();
    const claims = {
      [`x-${vendor}-client-id`]: clientId,
      [`x-${vendor}-capability`]: capability,
      iat,
      exp: iat + ttlSeconds,
      jti,
    };
    const signed = `${segment({ alg: 'HS256', typ: 'JWT', kid: key })}.${segment(claims)}`;
    return `${signed}.${base64UrlOf(await hmac.sign(signed))}`;
  }

  async #sign(text: string): Promise<string> {
    return `${this.parts.key}:${await this.parts.hmac.hex(text)}`;
  }
}

const segment = (value: object): string => base64UrlOf(bytesOf(JSON.stringify(value)));

function requireSocketId(socketId: string): void {
  if (!SOCKET_ID.test(socketId)) {
    throw invalid(`socket id ${JSON.stringify(socketId)} is malformed; expected "digits.digits"`);
  }
}

function requireClaims(
  clientId: string,
  capability: TokenClaims['capability'],
  ttlSeconds: number,
  jti: string,
): void {
  for (const [name, value] of Object.entries({ clientId, jti })) {
    const { length } = bytesOf(value);
    if (length === 0 || length > MAX_ID_BYTES) {
      throw invalid(`${name} must have 1 to ${MAX_ID_BYTES} bytes, not ${length}`);
    }
  }
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_LIFE_SECONDS) {
    throw invalid(`ttlSeconds must be an integer from 1 to ${MAX_LIFE_SECONDS}, not ${ttlSeconds}`);
  }
  const patterns = Object.entries(capability);
  if (patterns.length > MAX_PATTERNS) {
    throw invalid(`capability has ${patterns.length} patterns; the limit is ${MAX_PATTERNS}`);
  }
  for (const [pattern, operations] of patterns) {
    if (pattern === '') throw invalid('capability has an empty pattern');
    const unknown = operations.find((one) => !OPERATIONS.includes(one));
    if (unknown !== undefined) {
      throw invalid(`operation "${unknown}" is unknown; expected one of ${OPERATIONS.join(', ')}`);
    }
  }
}
