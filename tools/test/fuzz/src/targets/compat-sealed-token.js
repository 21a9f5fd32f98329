import { createCipheriv, createHash } from 'node:crypto';
import { CompatError, readJwe } from '@carillon/ably-core';
import { must, mustEqual } from '../broken.js';
import { KEY } from '../restate/compat-token.js';
import { objectIn } from '../restate/json.js';
import { splitFields } from '../text.js';
import { words } from '../words.js';

const NONCE = Buffer.alloc(12, 7);
const CONTENT_KEY = createHash('sha256').update(KEY.secret).digest();

/**
 * Fields: a header as text and what is sealed under it, which is done here; or one field: the whole token.
 * @type {import('../target.js').Target}
 */
export const compatSealedToken = {
  name: 'compat-sealed-token',
  tokens: words(
    `alg enc cty kid dir A256GCM A128GCM JWT demo.k1 none null "" {} [] . .. = _ + / BwcHBwcHBwcHBwcH`,
  ),
  outcomes: ['opened', 'of no form', 'not that of the key'],
  growths: [
    { name: 'one part', piece: 'a' },
    { name: 'dots', piece: 'a.' },
    { name: 'header', before: '{"kid":"', piece: 'a', after: '"}␞x' },
    { name: 'sealed', before: '{"alg":"dir","enc":"A256GCM","cty":"JWT","kid":"demo.k1"}␞', piece: 'ä' },
    { name: 'garbage', before: 'e30..BwcHBwcHBwcHBwcH.', piece: 'a', after: '.BwcHBwcHBwcHBwcHBwcHBw' },
  ],
  check(bytes) {
    const { token, plain } = inputOf(bytes);
    const [read, opened] = openedBy(token);
    if (plain !== null) mustEqual(read !== null, holds(token), 'whether the form is right');
    if (read === null) return 'of no form';
    must(holds(token), 'only what has the form is read');
    if (opened === null) {
      mustEqual(plain, null, 'what was sealed with the key and is not opened');
      return 'not that of the key';
    }
    if (plain !== null) mustEqual(opened, plain, 'what was sealed');
    return 'opened';
  },
  reach(bytes) {
    openedBy(inputOf(bytes).token);
  },
};

/** What it names, and what it holds; null: it is refused. @param {string} token @returns {[string | null, string | null]} */
function openedBy(token) {
  let keyName = null;
  try {
    const jwe = readJwe(token);
    keyName = jwe.keyName;
    return [keyName, jwe.open(KEY.secret)];
  } catch (error) {
    if (!(error instanceof CompatError)) throw error;
    mustEqual(error.code, 40_144, 'code of what cannot be opened');
    return [keyName, null];
  }
}

/** @param {string} token */
function holds(token) {
  const [head = '', key = '', nonce = '', , tag = ''] = token.split('.');
  const header = objectIn(Buffer.from(head, 'base64url').toString());
  if (header === null || Buffer.byteLength(head) > 4096 || key !== '') return false;
  const kid = header.get('kid');
  if (header.get('alg') !== 'dir' || header.get('enc') !== 'A256GCM' || header.get('cty') !== 'JWT')
    return false;
  const sizes = [nonce, tag].map((part) => Buffer.from(part, 'base64url').length);
  return typeof kid === 'string' && kid !== '' && sizes[0] === 12 && sizes[1] === 16;
}

/** @param {Buffer} bytes */
function inputOf(bytes) {
  const fields = splitFields(bytes);
  if (fields.length === 1) return { token: bytes.toString('utf8'), plain: null };
  const [header = Buffer.alloc(0), inner = Buffer.alloc(0)] = fields;
  const head = header.toString('base64url');
  const cipher = createCipheriv('aes-256-gcm', CONTENT_KEY, NONCE).setAAD(Buffer.from(head));
  const sealed = Buffer.concat([cipher.update(inner), cipher.final()]);
  const parts = [NONCE, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return { token: `${head}..${parts.join('.')}`, plain: inner.toString() };
}
