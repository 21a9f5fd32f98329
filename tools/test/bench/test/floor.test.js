import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSigned } from '../floor/signature.js';
import { signedPost } from '../load/sign.js';
import { againstFloor, bench, freePort } from './bench-process.js';

const SECRET = 's_7a3e5590c1bd42f8';
const PATH = '/apps/1042/events';
const now = () => Math.floor(Date.now() / 1000);

/** @param {string} body @param {number} time */
function signed(body, time) {
  const [, query = ''] = signedPost({ app: '1042', key: 'k', secret: SECRET }, PATH, body, time).split('?');
  return query;
}

describe('the floor with a secret', () => {
  it('accepts what the bench signs, and its pairs in any order', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (body, backwards) => {
        const query = signed(body, now());
        const sent = backwards ? query.split('&').reverse().join('&') : query;
        expect(isSigned(SECRET, PATH, sent, Buffer.from(body))).toBe(true);
      }),
    );
  });

  it('refuses another body, path, query, secret or age', () => {
    const body = Buffer.from('{"name":"a"}');
    const query = signed(body.toString(), now());
    expect(isSigned(SECRET, PATH, query, Buffer.from('{"name":"b"}'))).toBe(false);
    expect(isSigned(SECRET, '/apps/1043/events', query, body)).toBe(false);
    expect(isSigned(SECRET, PATH, query.replace('auth_key=k', 'auth_key=l'), body)).toBe(false);
    expect(isSigned('another', PATH, query, body)).toBe(false);
    expect(isSigned(SECRET, PATH, signed(body.toString(), now() - 700), body)).toBe(false);
    expect(isSigned(SECRET, PATH, '', body)).toBe(false);
  });

  it('answers a publish with the wrong signature with 401', async () => {
    const port = await freePort();
    const [, command = '', ...rest] = againstFloor(port);
    const spawn = ['--spawn', `FLOOR_SECRET=another ${command}`];
    const { code, error } = await bench(['publish', ...spawn, ...rest]);
    expect(error).toContain('the server refused a request: 401');
    expect(code).toBe(1);
  });
});
