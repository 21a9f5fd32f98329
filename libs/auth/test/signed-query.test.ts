import * as fc from 'fast-check';
import { ServiceError } from '@carillon/errors';
import { describe, expect, it } from 'vitest';
import { parseSignedQuery } from '../src/index.js';
import { formDecode } from '../src/request/form-decode.js';

const AUTH = 'auth_key=k&auth_timestamp=1&auth_signature=s';
const read = (rest: string) => parseSignedQuery(`${AUTH}&${rest}`);

function refusal(rawQuery: string): [number, string] {
  try {
    parseSignedQuery(rawQuery);
  } catch (problem) {
    if (problem instanceof ServiceError) return [problem.status, problem.message];
  }
  throw new Error('was accepted');
}

/** Parses a string to sign: a piece without a name belongs to the previous value. */
function asSigned(canonical: string): Map<string, string> {
  const pairs: [string, string][] = [];
  for (const piece of canonical.split('&')) {
    const equals = piece.indexOf('=');
    const last = pairs.at(-1);
    if (equals >= 0) pairs.push([piece.slice(0, equals), piece.slice(equals + 1)]);
    else if (last !== undefined) last[1] += `&${piece}`;
  }
  return new Map(pairs);
}

describe('reading a signed query', () => {
  it('splits at the first =, drops empty pieces, and takes a bare name as empty', () => {
    const { parameters, canonical } = read('&&b=1=2&a&');
    expect(parameters.get('b')).toBe('1=2');
    expect(parameters.get('a')).toBe('');
    expect(canonical).toBe('a=&auth_key=k&auth_timestamp=1&b=1=2');
  });

  it('drops the signature from what is signed, however its name is escaped', () => {
    const query = parseSignedQuery('auth%5Fsignature=s&auth_timestamp=1&auth_key=k');
    expect(query).toMatchObject({ signature: 's', authKey: 'k', timestamp: '1', bodyMd5: undefined });
    expect(query.canonical).toBe('auth_key=k&auth_timestamp=1');
  });

  it.each([
    ['limit=1&limit=2', '2'],
    ['limit=1&Limit=2', '2'],
    ['LIMIT=1&a=b&limit=1', '1'],
    ['limit=7&li%6Dit=', ''],
  ])('parseSignedQuery signs and reads the last value when %s repeats a parameter', (twice, last) => {
    const { parameters, canonical } = read(twice);
    expect(parameters.get('limit')).toBe(last);
    expect(canonical.split('&').filter((pair) => pair.startsWith('limit='))).toEqual([`limit=${last}`]);
  });

  it('reads a name as it was signed, however it was spelt', () => {
    const { parameters, canonical } = read('FILTER_by_prefix=x');
    expect(parameters.get('filter_by_prefix')).toBe('x');
    expect(canonical.endsWith('filter_by_prefix=x')).toBe(true);
  });

  it.each(['auth_version=1.0%26filter_by_prefix%3Dx', 'a%3Db=c', 'a%26b=c', 'a=1%26%3D'])(
    'refuses %s, whose signature is that of others too',
    (query) =>
      expect(refusal(`${AUTH}&${query}`)).toEqual([
        400,
        'a parameter cannot be told from several, once signed',
      ]),
  );

  it('lets a handler read exactly what was signed, name for name', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', 'b', '&', '=', '%26', '%3D', '+', 'é'),
      maxLength: 9,
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 4 }), (pairs) => {
        const raw = [AUTH, ...pairs.map(([name, value]) => `${name}=${value}`)].join('&');
        let query;
        try {
          query = parseSignedQuery(raw);
        } catch (problem) {
          expect(problem).toMatchObject({ status: 400 });
          return;
        }
        expect(asSigned(query.canonical)).toEqual(new Map(query.parameters));
      }),
    );
  });

  it('reads authentication parameters by exact case only', () => {
    expect(refusal('Auth_Key=k&auth_timestamp=1&auth_signature=s')).toEqual([401, 'auth_key is missing']);
  });

  it.each(['auth_key', 'auth_timestamp', 'auth_version', 'body_md5', 'auth_signature'])(
    'refuses a repeated %s',
    (name) => {
      const twice = `${AUTH}&auth_version=1.0&body_md5=x&${name}=again`;
      expect(refusal(twice)).toEqual([400, `${name} given more than once`]);
      if (name === 'auth_signature') return;
      expect(refusal(twice.replace(`&${name}=again`, `&${name.toUpperCase()}=again`))[0]).toBe(400);
    },
  );

  it('names the first parameter that is missing or empty', () => {
    expect(refusal('')).toEqual([401, 'auth_key is missing']);
    expect(refusal('auth_key=&auth_timestamp=1&auth_signature=s')).toEqual([401, 'auth_key is missing']);
    expect(refusal('auth_key=k&auth_signature=s')).toEqual([401, 'auth_timestamp is missing']);
    expect(refusal('auth_key=k&auth_timestamp=1')).toEqual([401, 'auth_signature is missing']);
  });

  it('sorts names by their bytes, not by their UTF-16 units', () => {
    expect(read('\u{1F600}=1&\uff5e=2&é=3&z=4').canonical).toBe(
      'auth_key=k&auth_timestamp=1&z=4&é=3&\uff5e=2&\u{1F600}=1',
    );
  });
});

describe('decoding a name or value', () => {
  it.each([
    ['a+b', 'a b'],
    ['a%2Bb', 'a+b'],
    ['user_count%2csubscription_count', 'user_count,subscription_count'],
    ['100%', '100%'],
    ['%zz%41', '%zzA'],
    ['%4', '%4'],
    ['%%34', '%4'],
    ['%C3%A9', 'é'],
    ['%C3', '\ufffd'],
    ['é%zz', 'é%zz'],
  ])('%s is %s', (raw, decoded) => expect(formDecode(raw)).toBe(decoded));

  it('undoes encodeURIComponent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(formDecode(encodeURIComponent(text))).toBe(text);
        expect(formDecode(`%zz${encodeURIComponent(text)}`)).toBe(`%zz${text}`);
      }),
    );
  });

  it('never throws', () => {
    const escapes = fc.string({ unit: fc.constantFrom('%', '+', 'a', 'f', '2', 'é') });
    fc.assert(fc.property(escapes, (text) => typeof formDecode(text) === 'string'));
  });
});
