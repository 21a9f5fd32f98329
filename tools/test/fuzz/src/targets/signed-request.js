import { ServiceError } from '@carillon/errors';
import { parseSignedQuery, prepareSigningKey, verifySignedRequest } from '@carillon/auth';
import { must, mustEqual } from '../broken.js';
import { md5, signed, SOURCE } from '../restate/hmac.js';
import { expectedAnswer, readQuery, stringToSign } from '../restate/signed-request.js';
import { splitFields } from '../text.js';
import { words } from '../words.js';

const NOW = 1_767_225_600;
const key = prepareSigningKey(SOURCE);

/** Fields: method, path, query, body; in the query `$NOW`, `$MD5` and `$SIG` stand for what is right. */
/** @type {import('../target.js').Target} */
export const signedRequest = {
  name: 'signed-request',
  tokens: [
    ...words(`
    auth_key auth_timestamp auth_version auth_signature body_md5 Auth_Key $NOW $MD5 $SIG & =
    %26 %3D %61 + %2B &auth_signature=$SIG &body_md5=$MD5 POST get /apps/1042 %31042 /
    channels &info=user_count
  `),
    SOURCE.key,
    '\ue000',
    '\ud83d\ude00=1',
  ],
  outcomes: [
    'ok',
    'auth_key is missing',
    'auth_timestamp given more than once',
    'auth_key is unknown',
    'auth_key belongs to another app',
    'auth_timestamp is not an integer',
    'auth_timestamp outside the 600 s window',
    'auth_signature does not match',
    'body_md5 not accepted here',
    'body_md5 does not match',
    'body_md5 missing',
  ],
  growths: [
    { name: 'names', before: 'GET␞/apps/1042␞auth_key=', piece: '&ä%C3%A4=1' },
    { name: 'equal names', before: 'GET␞/apps/1042␞a=1', piece: '&A=2' },
    { name: 'percents', before: 'GET␞/apps/1042␞a=', piece: '%' },
    { name: 'separators', before: 'GET␞/apps/1042␞', piece: '&' },
    { name: 'equals', before: 'GET␞/apps/1042␞a', piece: '=' },
    {
      name: 'path',
      before: 'GET␞',
      piece: '/%31',
      after: '␞auth_key=app-key-7f3c&auth_timestamp=1&auth_signature=1',
    },
    {
      name: 'timestamp',
      before: 'GET␞/apps/1042␞auth_key=app-key-7f3c&auth_signature=a&auth_timestamp=',
      piece: '1',
    },
  ],
  check(bytes) {
    const request = readRequest(bytes);
    const expected = expectedAnswer(request, NOW);
    const found = answerTo(request);
    mustEqual(found, expected, 'answer');
    return found.replace(/ on [^]*/, ' here');
  },
  reach: (bytes) => void answerTo(plainRequest(bytes)),
};

/** @param {Buffer} bytes @returns {import('../restate/signed-request.js').Request} */
function plainRequest(bytes) {
  const fields = splitFields(bytes);
  const [method = '', path = '', query = ''] = fields.map((field) => field.toString('utf8'));
  return { method, path, query, body: fields[3] ?? Buffer.alloc(0) };
}

/** @param {Buffer} bytes */
function readRequest(bytes) {
  const plain = plainRequest(bytes);
  const query = plain.query.replaceAll('$NOW', String(NOW)).replaceAll('$MD5', md5(plain.body));
  const signature = signed(stringToSign({ ...plain, query }));
  return { ...plain, query: query.replaceAll('$SIG', signature) };
}

/** @param {import('../restate/signed-request.js').Request} request */
function answerTo({ method, path, query, body }) {
  try {
    const read = parseSignedQuery(query);
    const owner = read.authKey === SOURCE.key ? key : null;
    verifySignedRequest(read, { method, rawPath: path, body }, owner, NOW);
    checkParameters(read.parameters, query);
    return 'ok';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const unsignable = /given more than once$|, once signed$/.test(error.message);
    mustEqual(error.code, unsignable ? 'invalid_input' : 'auth_failed', 'code');
    return error.message;
  }
}

/** Who is let in has signed everything a handler reads. @param {ReadonlyMap<string, string>} parameters @param {string} query */
function checkParameters(parameters, query) {
  const { pairs } = readQuery(query);
  mustEqual(parameters.size, pairs.length, 'number of parameters');
  for (const { lower, value } of pairs)
    must(parameters.get(lower) === value, 'a handler reads what was signed');
}
