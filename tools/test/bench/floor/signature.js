import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const LONGEST_SKEW_SECONDS = 600;
const SIGNATURE = 'auth_signature=';
const BODY_MD5 = 'body_md5=';
const TIMESTAMP = 'auth_timestamp=';

/** @param {string} left @param {string} right */
const same = (left, right) =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

/**
 * What no server can do without: the age of the request, the MD5 of its body, the HMAC-SHA256 of its sorted query.
 * @param {string} secret
 * @param {string} path
 * @param {string} query as received, without the question mark
 * @param {Buffer} body
 */
export function isSigned(secret, path, query, body) {
  const pairs = query.split('&');
  const valueOf = (/** @type {string} */ name) =>
    pairs.find((pair) => pair.startsWith(name))?.slice(name.length) ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(valueOf(TIMESTAMP))) <= LONGEST_SKEW_SECONDS)) return false;
  if (!same(createHash('md5').update(body).digest('hex'), valueOf(BODY_MD5))) return false;
  const signed = pairs.filter((pair) => !pair.startsWith(SIGNATURE)).sort();
  const expected = createHmac('sha256', secret)
    .update(`POST\n${path}\n${signed.join('&')}`)
    .digest('hex');
  return same(expected, valueOf(SIGNATURE));
}
