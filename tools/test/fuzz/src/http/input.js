// An input of the HTTP target: method, path, query, header lines and body. `$AUTH` in the query stands for everything
// a right request has; `$NOW`, `$MD5` and `$SIG` for its parts.
import { readCorpus } from '../corpus.js';
import { allTokens } from '../mutate/mutate.js';
import { md5, signed, SOURCE } from '../restate/hmac.js';
import { stringToSign } from '../restate/signed-request.js';
import { splitFields } from '../text.js';
import { words } from '../words.js';

/** @typedef {import('./native.js').Asked} Asked */

const MAX_HEADERS = 90;

export const HTTP_CORPUS = readCorpus('http');

export const HTTP_TOKENS = allTokens([
  ...words(`
    $AUTH $NOW $MD5 $SIG & = %26 %3D %2F %00 %FF + POST GET HEAD DELETE OPTIONS PUT /apps/1042 /events
    /batch_events /channels /users /revocations /terminate_connections /force_reconnect presence-a cache-a private-a
    #server-to-user-1 chat:a chat:a#u1 [meta]a a* "name" "channel" "channels" "data" "socket_id" "info" "tags"
    "delta" "idempotency_key" "message_id" "extras" "headers" "ai" "push" "ephemeral" "idempotencyKey" "batch" "jti"
    "client_id" "ttl_seconds" "expires_at" "reason" user_count subscription_count,cache filter_by_prefix=presence-
    info=user_count x-idempotency-key: content-length: transfer-encoding: chunked ai-input 1.2 true false null
    9007199254740993 "__proto__"
  `),
  '{"name":"e","channel":"a"}',
  '{"name":"e","channels":["a","b"],"data":"x"}',
  SOURCE.key,
]);

/** The request that an input stands for, as a parser of HTTP could let it through. @param {Buffer} bytes @returns {Asked} */
export function requestOf(bytes) {
  const fields = splitFields(bytes);
  const [method = '', path = '', query = '', head = ''] = fields.slice(0, 4).map((one) => one.toString());
  const body = fields[4] ?? Buffer.alloc(0);
  const plain = {
    method: method.replaceAll(/[^A-Za-z]/g, '').slice(0, 20) || 'GET',
    path: `/${path.replaceAll(/[\0- ?]/g, '').replace(/^\//, '')}`,
    query: query.replaceAll(/[\0- ]/g, ''),
    body,
  };
  return { ...plain, query: signedQuery(plain), headers: headersOf(head, body) };
}

/** @param {{ method: string, path: string, query: string, body: Buffer }} request */
function signedQuery({ method, path, query, body }) {
  const md5Pair = method.toUpperCase() === 'POST' && body.length > 0 ? '&body_md5=$MD5' : '';
  const auth = `auth_key=${SOURCE.key}&auth_timestamp=$NOW&auth_version=1.0${md5Pair}&auth_signature=$SIG`;
  const known = query
    .replaceAll('$AUTH', auth)
    .replaceAll('$NOW', String(Math.floor(Date.now() / 1000)))
    .replaceAll('$MD5', md5(body));
  if (!known.includes('$SIG')) return known;
  return known.replaceAll('$SIG', signed(stringToSign({ method, path, query: known, body })));
}

/** The length is always told, as a parser would insist. @param {string} head @param {Buffer} body @returns {[string, string][]} */
function headersOf(head, body) {
  const lines = head.split(/\r?\n/).slice(0, MAX_HEADERS);
  const headers = lines.flatMap((line) => {
    const [, name = '', value = ''] = /^([A-Za-z0-9-]+):(.*)$/s.exec(line) ?? [];
    // oxlint-disable-next-line no-control-regex -- what no parser lets through
    const plain = value.replaceAll(/[\0-\x08\x0a-\x1f\x7f]/g, '').trim();
    return name === '' ? [] : [/** @type {[string, string]} */ ([name.toLowerCase(), plain])];
  });
  return body.length > 0 ? [...headers, ['content-length', String(body.length)]] : headers;
}
