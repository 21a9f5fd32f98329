// Section 2 of the HTTP page, said once more and differently: over bytes and lists instead of texts and maps.
import { md5, signed, SOURCE } from './hmac.js';

/** @typedef {{ method: string, path: string, query: string, body: Buffer }} Request */
/** @typedef {{ lower: string, name: string, value: string }} Pair */

const AUTHENTICATION = new Set(['auth_key', 'auth_timestamp', 'auth_version', 'auth_signature', 'body_md5']);

/** @param {string} raw */
function decoded(raw) {
  const bytes = Buffer.from(raw).toString('latin1').replaceAll('+', ' ');
  const plain = bytes.replaceAll(/%([0-9a-fA-F]{2})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(plain, 'latin1').toString();
}

/** @param {string} query @returns {{ pairs: Pair[], signature: string | null, refused: string | null }} */
export function readQuery(query) {
  /** @type {Pair[]} */
  const pairs = [];
  for (const piece of query.split('&').filter((one) => one !== '')) {
    const [first = '', ...rest] = piece.split('=');
    const name = decoded(first);
    const value = decoded(rest.join('='));
    const lower = name.toLowerCase();
    const inside = value.split('&').slice(1);
    if (name.includes('&') || name.includes('=') || inside.some((one) => one.includes('=')))
      return refusal('a parameter cannot be told from several, once signed');
    const earlier = pairs.findIndex((pair) => pair.lower === lower);
    if (earlier >= 0 && AUTHENTICATION.has(lower)) return refusal(`${lower} given more than once`);
    if (earlier >= 0) pairs.splice(earlier, 1);
    pairs.push({ lower, name, value });
  }
  const misspelt = pairs.find(({ lower, name }) => lower !== name && AUTHENTICATION.has(lower));
  if (misspelt !== undefined) return refusal(`${misspelt.lower} is missing`);
  const signature = pairs.find(({ lower }) => lower === 'auth_signature')?.value ?? null;
  return { pairs: pairs.filter(({ lower }) => lower !== 'auth_signature'), signature, refused: null };
}

/** @param {string} refused */
const refusal = (refused) => ({ pairs: [], signature: null, refused });

/** @param {Request} request */
export function stringToSign({ method, path, query }) {
  const { pairs } = readQuery(query);
  const sorted = pairs.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one.lower), Buffer.from(other.lower)),
  );
  const joined = sorted.map(({ lower, value }) => `${lower}=${value}`).join('&');
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return [method.toUpperCase(), plain, joined].join('\n');
}

/** What is said to such a request, by the table of section 2.6; `ok` when it is let in.
 * @param {Request} request @param {number} now */
export function expectedAnswer(request, now) {
  const { pairs, signature, refused } = readQuery(request.query);
  if (refused !== null) return refused;
  const read = (/** @type {string} */ name) => pairs.find((pair) => pair.lower === name)?.value;
  for (const name of ['auth_key', 'auth_timestamp']) if (!read(name)) return `${name} is missing`;
  if (!signature) return 'auth_signature is missing';
  if (read('auth_key') !== SOURCE.key) return 'auth_key is unknown';
  if (!namesTheApp(request.path)) return 'auth_key belongs to another app';
  const timestamp = read('auth_timestamp') ?? '';
  if (!/^-?\d+$/.test(timestamp)) return 'auth_timestamp is not an integer';
  const distance = BigInt(now) - BigInt(timestamp);
  if (distance > 600n || distance < -600n) return 'auth_timestamp outside the 600 s window';
  const problem = bodyProblem(request, read('body_md5'));
  if (problem !== null) return problem;
  if (signature === signed(stringToSign(request))) return 'ok';
  const path = signedBeforeEncoding(request.path);
  const isSigned = path !== null && signature === signed(stringToSign({ ...request, path }));
  return isSigned ? 'ok' : 'auth_signature does not match';
}

/** @param {string} path */
function namesTheApp(path) {
  const segment = path.split('/')[2] ?? '';
  try {
    return segment === SOURCE.appId || decodeURIComponent(segment) === SOURCE.appId;
  } catch {
    return false;
  }
}

/** @param {string} path */
function signedBeforeEncoding(path) {
  if (!path.includes('%')) return null;
  try {
    const segments = path.split('/').map((segment) => decodeURIComponent(segment));
    const isSafe = segments.every((text) => !/[/%]|\p{Control}/u.test(text));
    return isSafe ? segments.join('/') : null;
  } catch {
    return null;
  }
}

/** @param {Request} request @param {string | undefined} given */
function bodyProblem({ method, body }, given) {
  if (method.toUpperCase() === 'POST' && body.length > 0 && !given) return 'body_md5 missing';
  return given === undefined || given === md5(body) ? null : 'body_md5 does not match';
}
