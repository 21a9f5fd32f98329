import { hash } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import { equalText } from '../equal-text.js';
import { hmac, matchesEither, type SigningKey } from '../signing-key.js';
import type { SignedQuery } from './signed-query.js';
import { stringToSign } from './string-to-sign.js';

/** A request as it came on the wire, before anything was decoded. */
export interface ReceivedRequest {
  readonly method: string;
  /** Percent escapes untouched, no query. */
  readonly rawPath: string;
  /** The same from `/apps/{appId}` on. Absent: it begins so. */
  readonly routedPath?: string;
  /** The exact bytes received; empty when there was no body. */
  readonly body: Uint8Array;
}

/** The signature matches neither the current nor the previous secret. */
export class SignatureMismatch extends ServiceError {
  constructor() {
    super('auth_failed', { text: 'auth_signature does not match' });
  }
}

/** Accepted clock difference of a request, in either direction. */
const TIMESTAMP_WINDOW_SECONDS = 600;

const EMPTY_MD5 = hash('md5', '');

/**
 * Verifies a signed request against the app of its `auth_key` (null: unknown), in the order and with the texts of the
 * HTTP API. Throws 401 at the first violation; returning proves that the caller knows the secret and signed this
 * method, path, query and body. Callers check whether the app is enabled.
 */
export function verifySignedRequest(
  query: SignedQuery,
  request: ReceivedRequest,
  key: SigningKey | null,
  nowSeconds: number,
): void {
  checkSender(query, request, key, nowSeconds);
  checkBodyMd5(query.bodyMd5, request);
  checkSignature(query, request, key);
}

/**
 * Verifies a request whose body is not read yet: everything except the body's hash, which the signature covers.
 * Passing proves knowledge of the secret.
 */
export function verifySignedHead(
  query: SignedQuery,
  head: Omit<ReceivedRequest, 'body'>,
  key: SigningKey | null,
  nowSeconds: number,
): void {
  checkSender(query, head, key, nowSeconds);
  checkSignature(query, head, key);
}

function checkSender(
  query: SignedQuery,
  { rawPath, routedPath = rawPath }: Omit<ReceivedRequest, 'body'>,
  key: SigningKey | null,
  nowSeconds: number,
): asserts key is SigningKey {
  if (key === null) throw refused('auth_key is unknown');
  if (!namesApp(routedPath, key.appId)) throw refused('auth_key belongs to another app');
  checkTimestamp(query.timestamp, nowSeconds);
}

function checkSignature(
  query: SignedQuery,
  { method, rawPath }: Pick<ReceivedRequest, 'method' | 'rawPath'>,
  key: SigningKey,
): void {
  const isSigned = (path: string): boolean => {
    const signed = stringToSign(method, path, query.canonical);
    return matchesEither(key, (one) => equalText(query.signature, hmac(one, signed, 'hex')));
  };
  if (isSigned(rawPath)) return;
  const plain = plainPath(rawPath);
  if (plain === null || !isSigned(plain)) throw new SignatureMismatch();
}

/** Path separator, escape character and control characters: with them one signature could stand for two paths. */
const UNSAFE = /[/%\p{Cc}]/u;

/** The path as libraries sign it that encode it afterwards; null: it has no escapes, or could be another one's. */
function plainPath(rawPath: string): string | null {
  if (!rawPath.includes('%')) return null;
  try {
    const segments = rawPath.split('/').map(decodeURIComponent);
    return segments.some((segment) => UNSAFE.test(segment)) ? null : segments.join('/');
  } catch {
    return null;
  }
}

/** The app id of the path may be written plainly or percent-encoded. */
function namesApp(path: string, appId: string): boolean {
  const [, , segment = ''] = path.split('/', 3);
  if (segment === appId) return true;
  if (!segment.includes('%')) return false;
  try {
    return decodeURIComponent(segment) === appId;
  } catch {
    return false;
  }
}

function checkTimestamp(timestamp: string, nowSeconds: number): void {
  if (!/^-?[0-9]+$/.test(timestamp)) throw refused('auth_timestamp is not an integer');
  if (Math.abs(Math.floor(nowSeconds) - Number(timestamp)) <= TIMESTAMP_WINDOW_SECONDS) return;
  throw refused(`auth_timestamp outside the ${TIMESTAMP_WINDOW_SECONDS} s window`);
}

function checkBodyMd5(bodyMd5: string | undefined, { method, body }: ReceivedRequest): void {
  const isNeeded = method.toUpperCase() === 'POST' && body.byteLength > 0;
  if (isNeeded && (bodyMd5 === undefined || bodyMd5 === '')) throw refused('body_md5 missing');
  if (bodyMd5 === undefined) return;
  const expected = body.byteLength === 0 ? EMPTY_MD5 : hash('md5', body);
  if (!equalText(bodyMd5, expected)) throw refused('body_md5 does not match');
}

const refused = (text: string) => new ServiceError('auth_failed', { text });
