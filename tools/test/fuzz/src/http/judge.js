// What the HTTP page promises of every answer, said once more.
import { isUtf8 } from 'node:buffer';
import { ERRORS } from '@carillon/errors';
import { must, mustEqual } from '../broken.js';
import { expectedAnswer } from '../restate/signed-request.js';
import { BODY_LIMIT_BYTES } from './service.js';

/** @typedef {import('./native.js').Asked} Asked */
/** @typedef {import('./service.js').Answered} Answered */

/** Where requests are answered. @type {readonly (readonly [name: string, method: string, path: RegExp])[]} */
const ROUTES = [
  ['events', 'POST', /^\/apps\/[^/]+\/events$/],
  ['batch', 'POST', /^\/apps\/[^/]+\/batch_events$/],
  ['revocations', 'POST', /^\/apps\/[^/]+\/revocations$/],
  ['channels', 'GET', /^\/apps\/[^/]+\/channels$/],
  ['channel', 'GET', /^\/apps\/[^/]+\/channels\/[^/]+$/],
  ['users', 'GET', /^\/apps\/[^/]+\/channels\/[^/]+\/users$/],
  ['terminate', 'POST', /^\/apps\/[^/]+\/users\/[^/]+\/terminate_connections$/],
  ['reconnect', 'POST', /^\/apps\/[^/]+\/users\/[^/]+\/force_reconnect$/],
  ['document', 'GET', /^\/openapi\.json$/],
];

/** Bytes of a head that are accepted at least. */
const PROMISED_HEAD = 32 * 1024;

/** Statuses that a request with a right signature may be answered with. */
const AFTER_SIGNATURE = new Set([200, 400, 403, 409, 413, 429, 503]);

/** A query that says nothing certain, whatever its signature. */
const UNSIGNABLE = /given more than once$|, once signed$/;

/** Throws when the answer is not as promised; else names the outcome. @param {Asked} asked @param {Answered} answered */
export function judge(asked, answered) {
  const { status, body, published } = answered;
  // A conflict shows only when its message is due: what came before it in the request stays published.
  must(status === 200 || status === 409 || published === 0, 'a refused request publishes nothing');
  const code = status === 200 ? 'ok' : refusalCode(asked, answered);
  const name = judgeRoute(asked, answered, code);
  if (asked.method === 'HEAD' || name === 'preflight') mustEqual(body, '', 'body');
  return `${name} ${code}`;
}

/** @param {Asked} asked @param {Answered} answered */
function refusalCode({ method }, { status, headers, body }) {
  must(status < 500 || status === 503, 'nothing a client sends is a fault of ours');
  must(headers.get('content-type') === 'application/json', 'errors are JSON');
  if (method === 'HEAD') return `head ${status}`;
  const { error, code, status: told, ...more } = JSON.parse(body);
  const row = /** @type {Record<string, { status: number | null } | undefined>} */ (ERRORS)[code];
  must(row !== undefined, `${code} is in the table`);
  must(row?.status === status || code === 'ai_header_too_large', `${code} is answered with its status`);
  must(typeof error === 'string' && error !== '' && told === status, 'the body is that of every error');
  must(
    Object.keys(more).every((name) => name === 'ai_code'),
    'nothing else is told',
  );
  must(status !== 503 || headers.get('retry-after') === '1', '503 says when to come again');
  return code;
}

/** @param {Asked} asked @param {Answered} answered @param {string} code */
function judgeRoute(asked, answered, code) {
  const { status } = answered;
  // A HEAD has no body that could push the answer out before the connection ends, so it gets none.
  if (isAmbiguous(asked) && asked.method === 'HEAD') return 'ambiguous ended';
  if (isAmbiguous(asked)) return mustBe(status, 400, 'ambiguous');
  if (!isText(asked.path)) return mustBe(status, 400, 'unreadable path');
  if (status === 431) {
    must(headLength(asked) > PROMISED_HEAD, 'a head of 32 KiB is accepted');
    return 'long head';
  }
  if (asked.method === 'OPTIONS') return mustBe(status, 200, 'preflight');
  const path = asked.path.length > 1 && asked.path.endsWith('/') ? asked.path.slice(0, -1) : asked.path;
  const there = ROUTES.filter(([, , pattern]) => pattern.test(path));
  const method = asked.method === 'HEAD' ? 'GET' : asked.method;
  const name = there.find((route) => route[1] === method)?.[0];
  if (there.length === 0) return mustBe(status, 404, 'nowhere');
  if (name === undefined) {
    must((answered.headers.get('allow') ?? '') !== '', 'a wrong method is told the right ones');
    return mustBe(status, 405, 'wrong method');
  }
  const isTooLarge = asked.body.length > BODY_LIMIT_BYTES;
  const saysSo = !asked.headers.some(([header]) => header === 'transfer-encoding');
  if (isTooLarge && (saysSo || mayReadBody(name, asked))) return mustBe(status, 413, 'too large');
  if (name === 'document') return mustBe(status, 200, name);
  judgeSigned(name, asked, answered, code);
  return name;
}

/** @param {string} name @param {Asked} asked @param {Answered} answered @param {string} code */
function judgeSigned(name, asked, { status, body, published }, code) {
  const now = Math.floor(Date.now() / 1000);
  const expected = expectedAnswer(asked, now);
  if (expected !== 'ok') {
    mustEqual(status, UNSIGNABLE.test(expected) ? 400 : 401, 'status');
    if (asked.method !== 'HEAD') mustEqual(JSON.parse(body).error, expected, 'error');
    return;
  }
  must(AFTER_SIGNATURE.has(status), `a signed request is not answered ${status} ${code}`);
  if (status !== 200 && status !== 409) return;
  if (asked.method !== 'HEAD') must(typeof JSON.parse(body) === 'object', 'an answer is a JSON object');
  const events = eventsOf(name, asked);
  const most = events.reduce((sum, event) => sum + channelsOf(event), 0);
  must(published <= most, `${published} events are published for ${most}`);
  if (status === 409) return;
  const hasKey =
    events.some((event) => /idempotency_?key|message_id/i.test(JSON.stringify(event))) ||
    asked.headers.some(([header]) => header === 'x-idempotency-key');
  must(hasKey || published === most, `${published} events are published for ${most}, without any key`);
}

/** @param {string} name @param {Asked} asked @returns {any[]} */
function eventsOf(name, { body }) {
  // Like the service, the decoder skips a byte order mark.
  const read = () => JSON.parse(new TextDecoder().decode(body));
  if (name === 'events') return [read()];
  return name === 'batch' ? read().batch : [];
}

/** @param {any} event */
const channelsOf = ({ channels, channel }) => new Set(channels ?? [channel]).size;

/** @param {Asked} asked */
const headLength = ({ method, path, query, headers }) =>
  [method, path, query, ...headers.flat()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Whether its signature is right as far as can be told without the body. @param {string} name @param {Asked} asked */
function mayReadBody(name, asked) {
  if (name === 'document') return true;
  const expected = expectedAnswer(asked, Math.floor(Date.now() / 1000));
  return expected === 'ok' || expected === 'body_md5 does not match';
}

/** Whether two readers could see two ends of it. @param {Asked} asked */
function isAmbiguous({ headers }) {
  const lengths = headers.filter(([name]) => name === 'content-length').map(([, value]) => value);
  const codings = headers.filter(([name]) => name === 'transfer-encoding').map(([, value]) => value);
  return (
    lengths.length + codings.length > 1 ||
    lengths.some((value) => value === '' || value.length > 15 || /[^0-9]/.test(value)) ||
    codings.some((value) => Buffer.from(value).toString('latin1').toLowerCase() !== 'chunked')
  );
}

/** Whether a path is UTF-8 once its escapes are bytes. @param {string} path */
function isText(path) {
  const bytes = Buffer.from(path).toString('latin1');
  if (/%(?![0-9a-f]{2})/i.test(bytes)) return false;
  const plain = bytes.replaceAll(/%(..)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return !path.includes('\ufffd') && isUtf8(Buffer.from(plain, 'latin1'));
}

/** @param {number} status @param {number} expected @param {string} name */
function mustBe(status, expected, name) {
  mustEqual(status, expected, `status of ${name}`);
  return name;
}
