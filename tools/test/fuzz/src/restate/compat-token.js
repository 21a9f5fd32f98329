import { createHmac } from 'node:crypto';
import { objectIn } from './json.js';

/** The key of the pages' examples. */
export const KEY = { name: 'demo.k1', secret: 's3cr3t' };
export const NOW_MS = 1_750_000_000_000;
export const MAX_MS = 86_400_000;
const NOW = NOW_MS / 1000;

/** What the secret makes of a text. @param {string} text @param {'base64' | 'base64url'} encoding */
export const macOf = (text, encoding) => createHmac('sha256', KEY.secret).update(text).digest(encoding);

/** Nothing said, or a text that says something. @param {unknown} value */
const isText = (value) => value === undefined || (typeof value === 'string' && value !== '');

/** Nothing said, or one line that may name a client. @param {unknown} value */
const isClient = (value) =>
  isText(value) && Buffer.byteLength(textOr(value)) <= 255 && !/\n|\p{Surrogate}/u.test(textOr(value));

/** @param {unknown} value */
const textOr = (value) => (typeof value === 'string' ? value : '');

/** @param {unknown} value @returns {value is number} */
const isTime = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** @param {string} part */
const jsonOf = (part) => objectIn(Buffer.from(part, 'base64url').toString());

/** What must become of a JWT: its claims, or the code that it is refused with. @param {string} token */
export function verdictOfJwt(token) {
  const parts = token.split('.');
  const [head = '', body = '', signature = ''] = parts;
  const [header, claims] = [jsonOf(head), jsonOf(body)];
  if (parts.length > 3 || Buffer.byteLength(head) > 4096 || header === null || claims === null) return 40_144;
  const [kid, alg] = [header.get('kid'), header.get('alg')];
  const inner = claims.get('x-ably-token') ?? header.get('x-ably-token');
  if (typeof kid !== 'string' || kid === '' || !isText(inner)) return 40_144;
  if (alg !== 'HS256' || signature !== macOf(`${head}.${body}`, 'base64url')) return 40_144;
  const [iat, exp] = [claims.get('iat'), claims.get('exp')];
  if (!isTime(iat) || !isTime(exp)) return 40_144;
  if (exp <= iat || (exp - iat) * 1000 > MAX_MS || iat > NOW + 30) return 40_144;
  const said = ['x-ably-clientId', 'x-ably-capability', 'x-ably-revocation-key'].map((name) =>
    claims.get(name),
  );
  if (!said.every(isText) || !isClient(said[0]) || Buffer.byteLength(textOr(said[2])) > 256) return 40_144;
  return NOW >= exp ? 40_142 : { iat, exp, said: said.map((one) => one ?? null) };
}

/** @param {unknown} value */
const written = (value) => (typeof value === 'number' ? String(value) : textOr(value));

/** The six lines that are signed, of the members as they are written. @param {ReadonlyMap<string, unknown>} body */
export const linesOf = (body) =>
  ['keyName', 'ttl', 'capability', 'clientId', 'timestamp', 'nonce']
    .map((name) => `${written(body.get(name))}\n`)
    .join('');

/** @param {unknown} value */
const isDecimal = (value) =>
  typeof value === 'number'
    ? Number.isInteger(value) && value >= 0 && value < 1e15
    : typeof value === 'string' && value.length <= 15 && value !== '' && !/\D/.test(value);

/** Every code that a member of a request for a token deserves. @param {ReadonlyMap<string, unknown>} body */
export function complaintsOf(body) {
  const [mac, nonce, timestamp, ttl] = ['mac', 'nonce', 'timestamp', 'ttl'].map((name) => body.get(name));
  const codes = new Set();
  if (typeof mac !== 'string' || mac === '' || mac.length > 512) codes.add(40_101);
  if (typeof nonce !== 'string' || nonce === '' || Buffer.byteLength(nonce) > 256) codes.add(40_000);
  if (typeof nonce === 'string' && nonce.includes('\n')) codes.add(40_000);
  if (!isDecimal(timestamp)) codes.add(40_000);
  if (ttl !== undefined && (!isDecimal(ttl) || Number(ttl) < 1 || Number(ttl) > MAX_MS)) codes.add(40_000);
  if (body.has('clientId') && !isClient(body.get('clientId'))) codes.add(40_012);
  return codes;
}
