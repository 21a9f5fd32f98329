import { ServiceError } from '@carillon/errors';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSignedQuery, signRequest, verifySignedRequest, type SigningKey } from '../src/index.js';
import { SHOP } from './keys.js';

const NOW = 1_760_000_000;
const BODY_A =
  '{"name":"order.created","channels":["orders","private-ops"],"data":"{\\"id\\":\\"ord_77\\"}","info":"subscription_count"}';
const QUERY_A =
  'auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0&body_md5=0d7f941a331f57782a5d7dc7ae602a23' +
  '&auth_signature=b2ac8e22c2abaae2b16107bbd089e1ebf34f2221f351d167e61cf84b5161d037';
const SIGNATURE_B = 'auth_signature=f3c7f6bc8bac39d8a78227a0dc2edb40c51eb35f3588ffde2e11801b938d7946';
const QUERY_B = `auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0&filter_by_prefix=presence-`;
const QUERY_C =
  'auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0&body_md5=99914b932bd37a50b983c5e7c90ae93b' +
  '&auth_signature=9061081e1ece40d65eee7b3c0480d052f157905f53f822d6dd4b582744e7156d';

interface Sent {
  method?: string;
  rawPath?: string;
  query: string;
  body?: string;
  key?: SigningKey | null;
  now?: number;
}

/** `accepted`, or the text of the refusal with its status in front. */
function answer({
  method = 'POST',
  rawPath = '/apps/1042/events',
  query,
  body = '',
  key = SHOP,
  now = NOW,
}: Sent) {
  try {
    const parsed = parseSignedQuery(query);
    verifySignedRequest(parsed, { method, rawPath, body: Buffer.from(body) }, key, now);
    return 'accepted';
  } catch (problem) {
    if (problem instanceof ServiceError) return `${problem.status} ${problem.message}`;
    throw problem;
  }
}

const EXAMPLE_A: Sent = { query: QUERY_A, body: BODY_A };
const signed = (method: string, body = '', query: Record<string, string> = {}, now = NOW) =>
  signRequest({ method, rawPath: '/apps/1042/events', body, query }, SHOP, now);

describe('the worked examples', () => {
  it('A: a publish', () => {
    expect(answer(EXAMPLE_A)).toBe('accepted');
    expect(signed('post', BODY_A).split('&').at(-1)).toBe(QUERY_A.split('&').at(-1));
  });

  it('B: a comma, encoded or not', () => {
    for (const info of ['user_count%2Csubscription_count', 'user_count,subscription_count']) {
      const query = `${QUERY_B}&info=${info}&${SIGNATURE_B}`;
      expect(answer({ method: 'GET', rawPath: '/apps/1042/channels', query })).toBe('accepted');
    }
  });

  it('C: an encoded path segment stays encoded', () => {
    const sent = { query: QUERY_C, body: '{}' };
    expect(answer({ ...sent, rawPath: '/apps/1042/users/u%3A9/terminate_connections' })).toBe('accepted');
    expect(answer({ ...sent, rawPath: '/apps/1042/users/u:9/terminate_connections' })).toBe(
      '401 auth_signature does not match',
    );
  });
});

describe('a signed request', () => {
  it('is accepted 600 s either way, and not at 601', () => {
    for (const shift of [-600, 600]) expect(answer({ ...EXAMPLE_A, now: NOW + shift })).toBe('accepted');
    for (const shift of [-601, 601]) {
      expect(answer({ ...EXAMPLE_A, now: NOW + shift })).toBe('401 auth_timestamp outside the 600 s window');
    }
    expect(answer({ ...EXAMPLE_A, now: NOW + 600.9 })).toBe('accepted');
  });

  it.each(['abc', '1760000000.5', '0x68e7b800', '1e9', ' 1760000000', '١'])(
    'has a timestamp that is an integer (%s)',
    (timestamp) => {
      const query = QUERY_A.replace('auth_timestamp=1760000000', `auth_timestamp=${timestamp}`);
      expect(answer({ ...EXAMPLE_A, query })).toBe('401 auth_timestamp is not an integer');
    },
  );

  it('is refused for an unknown key and for another app, before anything else is looked at', () => {
    const query = 'auth_key=x&auth_timestamp=abc&auth_signature=1';
    expect(answer({ query, key: null })).toBe('401 auth_key is unknown');
    expect(answer({ query, rawPath: '/apps/1043/events' })).toBe('401 auth_key belongs to another app');
    expect(answer({ query, rawPath: '/apps/1042%zz/events' })).toBe('401 auth_key belongs to another app');
    expect(answer({ query, rawPath: '/' })).toBe('401 auth_key belongs to another app');
    expect(answer({ query, rawPath: '/apps/%31042/events' })).toBe('401 auth_timestamp is not an integer');
  });

  it('may end its path in one slash that was not signed', () => {
    expect(answer({ ...EXAMPLE_A, rawPath: '/apps/1042/events/' })).toBe('accepted');
    expect(answer({ ...EXAMPLE_A, rawPath: '/apps/1042/events//' })).toBe(
      '401 auth_signature does not match',
    );
  });

  it('has a lower-case signature', () => {
    const [start, signature = ''] = QUERY_A.split('auth_signature=');
    const query = `${start}auth_signature=${signature.toUpperCase()}`;
    expect(answer({ ...EXAMPLE_A, query })).toBe('401 auth_signature does not match');
  });

  it('covers parameters added later', () => {
    expect(answer({ ...EXAMPLE_A, query: `${QUERY_A}&info=user_count` })).toBe(
      '401 auth_signature does not match',
    );
    expect(answer({ ...EXAMPLE_A, query: `${QUERY_A}&auth_key=x` })).toBe(
      '400 auth_key given more than once',
    );
  });
});

describe('body_md5', () => {
  it('is needed on a POST with a body, and must be right', () => {
    const without = QUERY_A.replace(/&body_md5=[^&]*/, '');
    expect(answer({ ...EXAMPLE_A, query: without })).toBe('401 body_md5 missing');
    expect(answer({ ...EXAMPLE_A, query: `${without}&body_md5=` })).toBe('401 body_md5 missing');
    expect(answer({ ...EXAMPLE_A, body: `${BODY_A} ` })).toBe('401 body_md5 does not match');
    expect(answer({ ...EXAMPLE_A, query: `${without}&body_md5=0D7F941A331F57782A5D7DC7AE602A23` })).toBe(
      '401 body_md5 does not match',
    );
  });

  it('may be missing on an empty POST, but not wrong', () => {
    expect(answer({ query: signed('POST') })).toBe('accepted');
    const ofEmpty = { body_md5: 'd41d8cd98f00b204e9800998ecf8427e' };
    expect(answer({ query: signed('POST', '', ofEmpty) })).toBe('accepted');
    expect(answer({ query: signed('POST', '', { body_md5: '' }) })).toBe('401 body_md5 does not match');
  });

  it.each(['GET', 'DELETE'])('may be missing on %s, but not wrong', (method) => {
    expect(answer({ method, query: signed(method) })).toBe('accepted');
    expect(answer({ method, query: signed(method), body: 'ignored' })).toBe('accepted');
    const ofEmpty = signed(method, '', { body_md5: 'd41d8cd98f00b204e9800998ecf8427e' });
    expect(answer({ method, query: ofEmpty })).toBe('accepted');
    expect(answer({ method, query: ofEmpty, body: 'x' })).toBe('401 body_md5 does not match');
    const query = signed(method, '', { body_md5: '9dd4e461268c8034f5c8564e155c67a6' });
    expect(answer({ method, query, body: 'x' })).toBe('accepted');
    expect(answer({ method, query })).toBe('401 body_md5 does not match');
    expect(answer({ method, query: signed(method, '', { body_md5: '' }) })).toBe(
      '401 body_md5 does not match',
    );
  });
});

const terminating = (user: string): string => `/apps/1042/users/${user}/terminate_connections`;

/** Result for a request whose path was signed as the first text and sent as the second. */
const plainly = (plain: string, sent: string): string => {
  const query = signRequest({ method: 'POST', rawPath: terminating(plain) }, SHOP, NOW);
  return answer({ query, rawPath: terminating(sent) });
};

describe('a path that was signed before it was encoded', () => {
  it.each([
    ['auth0|5f', 'auth0%7C5f'],
    ['ada lovelace', 'ada%20lovelace'],
    ['é', '%C3%A9'],
  ])('is accepted with the user %s', (plain, sent) => expect(plainly(plain, sent)).toBe('accepted'));

  it.each([
    ['a/b', 'a%2Fb'],
    ['a%7Cb', 'a%257Cb'],
    ['a\nb', 'a%0Ab'],
    ['a\u0085b', 'a%C2%85b'],
    ['a|b', 'a%7Cc'],
    ['\ufffd', '%FF'],
  ])('is refused with the user %j, which could be another', (plain, sent) =>
    expect(plainly(plain, sent)).toBe('401 auth_signature does not match'),
  );
});

/** Meaning of a signed text; escapes and the case of names are irrelevant. */
function meaning(raw: string): string {
  try {
    const { canonical, signature } = parseSignedQuery(raw);
    return `${canonical}\n${signature}`;
  } catch {
    return 'unreadable';
  }
}

describe('for every request', () => {
  const query = fc.dictionary(
    fc
      .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
      .filter((name) => !/^(auth_|body_md5)|[&=]/i.test(name))
      .map((name) => name.toLowerCase()),
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.replaceAll('&', '+')),
    { maxKeys: 4 },
  );
  const body = fc.string({ unit: 'grapheme' });

  it('what was signed is accepted', () => {
    fc.assert(
      fc.property(query, body, (query, body) => {
        expect(answer({ query: signed('POST', body, query), body })).toBe('accepted');
      }),
    );
  });

  it('a change of meaning anywhere is refused', () => {
    fc.assert(
      fc.property(query, body, fc.nat(), fc.integer({ min: 1, max: 255 }), (query, body, at, flip) => {
        const raw = signed('POST', body, query);
        const place = at % raw.length;
        const changed =
          raw.slice(0, place) + String.fromCharCode(raw.charCodeAt(place) ^ flip) + raw.slice(place + 1);
        fc.pre(meaning(changed) !== meaning(raw));
        expect(answer({ query: changed, body })).toMatch(/^40[01] /);
        const bytes = Buffer.from(body);
        if (bytes.length === 0) return;
        bytes.writeUInt8((bytes.readUInt8(at % bytes.length) ^ flip) & 0xff, at % bytes.length);
        const sent = { method: 'POST', rawPath: '/apps/1042/events', body: bytes };
        expect(() => verifySignedRequest(parseSignedQuery(raw), sent, SHOP, NOW)).toThrow('body_md5');
      }),
    );
  });
});

it('never tells the secret, the expected signature or the string to sign', () => {
  const told = answer({ ...EXAMPLE_A, query: QUERY_A.replace(/.$/, '8') });
  expect(told).toBe('401 auth_signature does not match');
});
