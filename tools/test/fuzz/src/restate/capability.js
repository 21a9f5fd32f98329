// Section 12 of the WebSocket page, said once more and differently.
import { membersOf, objectIn } from './json.js';

const OPERATIONS = new Set(
  (
    'subscribe publish history presence annotation-subscribe annotation-publish annotation-delete-own ' +
    'annotation-delete-any message-update-own message-update-any message-delete-own message-delete-any ' +
    'message-append-own message-append-any push-admin push-subscribe'
  ).split(' '),
);

/** @param {unknown} value @returns {string[] | null} */
const texts = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : null;

/** @param {string} spelling */
const operation = (spelling) => spelling.split('_').join('-');

/** Whether a pattern allows a name. @param {string} pattern @param {string} name */
export function covers(pattern, name) {
  const pieces = pattern.split('*');
  if (pattern === name || pattern === '*') return true;
  if (pieces.length !== 2) return false;
  const [before = '', after = ''] = pieces;
  const middle = name.length - before.length - after.length;
  return (
    middle >= 0 && name.slice(0, before.length) === before && name.slice(name.length - after.length) === after
  );
}

/** Operation to patterns, of a token's claim; null when it breaks a rule. @param {unknown} claim */
export function grantsOfToken(claim) {
  const map = typeof claim === 'string' ? objectIn(claim) : membersOf(claim);
  const raw = typeof claim === 'string' && map !== null ? /** @type {object} */ (JSON.parse(claim)) : claim;
  if (map === null || map.size !== Object.keys(/** @type {object} */ (raw)).length || map.size > 100)
    return null;
  /** @type {Map<string, Set<string>>} */
  const grants = new Map();
  for (const [pattern, value] of map) {
    const operations = texts(value)?.map(operation);
    if (pattern === '' || !operations?.every((one) => OPERATIONS.has(one))) return null;
    for (const one of operations) grants.set(one, (grants.get(one) ?? new Set()).add(pattern));
  }
  return grants;
}

/** The same of a sign-in's inverse map. @param {unknown} value */
export function grantsOfSignin(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  /** @type {Map<string, string[]>} */
  const grants = new Map();
  for (const [spelling, list] of Object.entries(value)) {
    const patterns = texts(list);
    const name = operation(spelling);
    if (!OPERATIONS.has(name) || !patterns?.every((one) => one !== '')) return null;
    const all = [...(grants.get(name) ?? []), ...patterns];
    if (all.length > 100) return null;
    grants.set(name, all);
  }
  return grants;
}

/** @param {unknown} value */
const isId = (value) =>
  typeof value === 'string' && value !== '' && new TextEncoder().encode(value).length <= 128;

/** Whether claims, once their signature is believed, are good at this time. @param {Map<string, unknown>} claims @param {unknown} nbf as it stands, null included @param {number} now */
export function claimsHold(claims, nbf, now) {
  const [iat, exp] = [claims.get('iat'), claims.get('exp')];
  if (!isId(claims.get('x-service-client-id')) || !isId(claims.get('jti'))) return false;
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return false;
  const [from, to] = [Number(iat), Number(exp)];
  if (from > now + 30 || to <= now - 30 || to - from > 86_400) return false;
  if (nbf !== undefined && !(Number.isSafeInteger(nbf) && Number(nbf) <= now + 30)) return false;
  return grantsOfToken(claims.get('x-service-capability')) !== null;
}
