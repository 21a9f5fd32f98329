import { CompatError, readCredentials } from '@carillon/ably-core';
import { must, mustEqual } from '../broken.js';
import { fieldsOf } from '../text.js';
import { words } from '../words.js';

/**
 * Fields: the headers `Authorization` and `X-Ably-ClientId`, then the query; an empty header is none.
 * @type {import('../target.js').Target}
 */
export const compatCredentials = {
  name: 'compat-credentials',
  tokens: words(`
    Basic basic Bearer bearer ZGVtby5rMTpzM2NyM3Q= YWRh key= access_token= accessToken= clientId= client_id= & demo.k1:s3cr3t
    a.b.c t1.x = - _ ada * : %2a dDEueA
  `),
  outcomes: ['nothing', 'token', 'key', 'token as ada', 'key as ada', 'refused 40012', 'refused 40140'],
  growths: [
    { name: 'basic', before: 'Basic ', piece: 'QUJD' },
    { name: 'bearer', before: 'Bearer ', piece: 'QUJD' },
    { name: 'dots', before: 'Bearer ', piece: 'a.' },
    { name: 'client id', before: '␞', piece: 'QUJD' },
    { name: 'query', before: '␞␞key=a:b', piece: '&key=a:b' },
  ],
  check(bytes) {
    const { source, authorization, query } = inputOf(bytes);
    let read;
    try {
      read = readCredentials(source);
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      must(error.code === 40_012 || error.code === 40_140, `code ${error.code} is one of the page`);
      return `refused ${error.code}`;
    }
    const { token, key, clientId } = read;
    must(token !== '' && key !== '', 'what is empty is not there');
    must(clientId !== '*' && Buffer.byteLength(clientId ?? '') <= 255, 'nobody asks to be anybody');
    const brings = /^bearer\s+\S/i.test(authorization);
    if (!brings)
      mustEqual(token, query['access_token'] || query['accessToken'] || null, 'the token of the query');
    if (!/^basic\s+\S/i.test(authorization)) mustEqual(key, query['key'] || null, 'the key of the query');
    const what = token !== null ? 'token' : key !== null ? 'key' : 'nothing';
    return clientId === 'ada' && what !== 'nothing' ? `${what} as ada` : what;
  },
  reach(bytes) {
    try {
      readCredentials(inputOf(bytes).source);
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
    }
  },
};

/** @param {Buffer} bytes */
function inputOf(bytes) {
  const [authorization = '', clientId = '', text = ''] = fieldsOf(bytes, 3);
  /** @type {Readonly<Record<string, string>>} */
  const query = Object.fromEntries(new URLSearchParams(text));
  /** @param {string} name */
  const header = (name) => (name === 'authorization' ? authorization : clientId) || undefined;
  return { source: { query, header }, authorization, query };
}
