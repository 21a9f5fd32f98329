import { createHmac } from 'node:crypto';
import { Capability } from './capability.js';
import { CompatError } from './compat-error.js';
import { isObject, type JsonObject } from './json.js';
import { isClientId } from './credentials.js';
import { appOf, isSameSecret, type Key, type KeyRing } from './key-ring.js';
import type { Tokens } from './tokens.js';

export interface TokenRequestRules {
  readonly maxTtlMs: number;
  readonly skewMs: number;
  readonly nonceTtlMs: number;
}

/** The response to a token request. */
export interface TokenDetails {
  readonly token: string;
  readonly keyName: string;
  readonly issued: number;
  readonly expires: number;
  readonly capability: string;
  readonly clientId?: string;
}

interface Read {
  /** The text as sent, because it is part of the signed text. */
  readonly ttlText: string;
  readonly timestampText: string;
  readonly capabilityText: string;
  readonly ttlMs: number;
  readonly timestampMs: number;
  readonly clientId: string | null;
  readonly nonce: string;
  readonly mac: string;
}

/** The content of a verified request. */
export interface ProvedRequest {
  readonly ttlMs: number;
  readonly timestampMs: number;
  /** Null: anonymous. */
  readonly clientId: string | null;
  readonly nonce: string;
  /** The JSON text of the granted capability. */
  readonly capability: string;
}

const DEFAULT_TTL_MS = 3_600_000;
const MAX_MAC_BYTES = 512;
const MAX_NONCE_BYTES = 256;

const malformed = (text: string): CompatError => new CompatError(40_000, text);
const credentials = (): CompatError => new CompatError(40_101, 'invalid credentials');

/** The lines that the holder of a secret signs. */
const signedText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const macOf = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('base64');

/** Turns signed requests into tokens. */
export class TokenRequests {
  constructor(
    private readonly keys: KeyRing,
    private readonly tokens: Tokens,
    private readonly rules: TokenRequestRules,
  ) {}

  /** @throws CompatError; a refused request uses no nonce. */
  async grant(keyName: string, body: unknown, nowMs: number): Promise<TokenDetails> {
    if (!isObject(body)) throw malformed('the body must be an object');
    if (body['keyName'] !== keyName) throw credentials();
    const key = await this.keys.find(keyName, nowMs);
    if (key === null) throw credentials();
    const request = proveTokenRequest(body, key, this.rules, nowMs);
    const app = appOf(key);
    const untilMs = request.timestampMs + this.rules.skewMs - nowMs + 1000;
    const isNew = await this.tokens.claimNonce(
      keyName,
      request.nonce,
      Math.max(this.rules.nonceTtlMs, untilMs),
    );
    if (!isNew) throw new CompatError(40_105, 'nonce was used before');
    return this.#issue(app.id, key, request, nowMs);
  }

  async #issue(
    appId: string,
    key: Key,
    { ttlMs, clientId, capability }: ProvedRequest,
    nowMs: number,
  ): Promise<TokenDetails> {
    const expires = nowMs + ttlMs;
    const token = await this.tokens.issue({
      appId,
      keyName: key.name,
      clientId,
      issuedMs: nowMs,
      expiresMs: expires,
      capability,
      rotationId: key.rotationId,
    });
    const details = { token, keyName: key.name, issued: nowMs, expires, capability };
    return clientId === null ? details : { ...details, clientId };
  }
}

/**
 * A request of the holder of the key, by the lines that are signed; only its nonce may still have been used.
 *
 * @throws CompatError
 */
export function proveTokenRequest(
  body: JsonObject,
  key: Pick<Key, 'capability' | 'name' | 'problem' | 'secret'>,
  rules: Pick<TokenRequestRules, 'maxTtlMs' | 'skewMs'>,
  nowMs: number,
): ProvedRequest {
  const request = readRequest(body, rules);
  if (Math.abs(request.timestampMs - nowMs) > rules.skewMs)
    throw new CompatError(40_104, 'timestamp is not current');
  if (!isSameSecret(macOf(key.secret, textOf(key.name, request)), request.mac)) throw credentials();
  if (key.problem !== null) throw key.problem;
  const { ttlMs, clientId, nonce, timestampMs, capabilityText } = request;
  return { ttlMs, clientId, nonce, timestampMs, capability: granted(key, capabilityText) };
}

const textOf = (keyName: string, request: Read): string =>
  signedText([
    keyName,
    request.ttlText,
    request.capabilityText,
    request.clientId ?? '',
    request.timestampText,
    request.nonce,
  ]);

/** Returns the JSON text of the capability that the key grants for a request. */
export function granted(key: Pick<Key, 'capability'>, text: string): string {
  if (text === '') return key.capability.toString();
  const requested = Capability.parse(text);
  if (requested.toString() === key.capability.toString()) return requested.toString();
  const narrowed = key.capability.narrow(requested);
  if (narrowed.isEmpty) throw new CompatError(40_160, 'the key grants nothing of this capability');
  return narrowed.toString();
}

function readRequest(body: JsonObject, { maxTtlMs }: Pick<TokenRequestRules, 'maxTtlMs'>): Read {
  const { mac, nonce, clientId = null, capability = '' } = body;
  if (typeof mac !== 'string' || mac === '' || mac.length > MAX_MAC_BYTES) throw credentials();
  if (typeof nonce !== 'string' || nonce === '' || Buffer.byteLength(nonce) > MAX_NONCE_BYTES)
    throw malformed('nonce must have 1 to 256 bytes');
  // The lines that are signed could be read as others, with more in one and less in the next.
  if (nonce.includes('\n')) throw malformed('nonce must be one line');
  const timestampText = decimal(body['timestamp'], 'timestamp');
  const ttlText = body['ttl'] === undefined || body['ttl'] === null ? '' : decimal(body['ttl'], 'ttl');
  const ttlMs = ttlText === '' ? DEFAULT_TTL_MS : Number(ttlText);
  if (ttlMs < 1 || ttlMs > maxTtlMs) throw malformed('ttl is out of range');
  if (clientId !== null && !isClientId(clientId)) throw new CompatError(40_012, 'clientId is not allowed');
  if (capability !== null && typeof capability !== 'string') throw malformed('capability must be a string');
  const capabilityText = capability ?? '';
  if (capabilityText !== '') Capability.parse(capabilityText);
  return {
    mac,
    nonce,
    clientId,
    capabilityText,
    ttlText,
    ttlMs,
    timestampText,
    timestampMs: Number(timestampText),
  };
}

function decimal(value: unknown, name: string): string {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (!/^\d{1,15}$/.test(text)) throw malformed(`${name} must be an integer`);
  return text;
}
