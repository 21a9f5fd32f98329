import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CompatError } from '../src/compat-error.js';
import { isJwe, readJwe } from '../src/jwe.js';
import { proveJwt, readJwt } from '../src/jwt.js';

const SECRET = 's3cr3t';
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwt(header: object, claims: object): string {
  const text = `${part({ alg: 'HS256', kid: 'demo.k1', ...header })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
}

function jwe(text: string, header: object = {}): string {
  const head = part({ alg: 'dir', enc: 'A256GCM', cty: 'JWT', kid: 'demo.k1', ...header });
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(SECRET).digest(), iv);
  cipher.setAAD(Buffer.from(head));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return [head, '', ...[iv, sealed, cipher.getAuthTag()].map((one) => one.toString('base64url'))].join('.');
}

const codeOf = (work: () => unknown): number => {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof CompatError) return error.code;
    throw error;
  }
};

describe('a token', () => {
  it('is proved as the page says it', () => {
    const header = '{"alg":"HS256","typ":"JWT","kid":"demo.k1"}';
    const claims =
      '{"iat":1750000000,"exp":1750003600,"x-ably-capability":"{\\"chat:*\\":[\\"subscribe\\"]}","x-ably-clientId":"ada"}';
    const text = [header, claims].map((one) => Buffer.from(one).toString('base64url')).join('.');
    const read = readJwt(`${text}._4s9M-1SwRCW6GyZ1Ula8ljuBB6gooFn-Y-CivFRM-4`);
    const proved = proveJwt(read, SECRET, 86_400_000, 1_750_000_000_000);
    expect(proved).toMatchObject({ clientId: 'ada', capabilityText: '{"chat:*":["subscribe"]}' });
  });

  it('names the one that it stands around, in its header or its claims', () => {
    expect(readJwt(jwt({}, {})).embedded).toBeNull();
    expect(readJwt(jwt({ 'x-ably-token': 'inner' }, {})).embedded).toBe('inner');
    expect(readJwt(jwt({ 'x-ably-token': 'inner' }, { 'x-ably-token': 'other' })).embedded).toBe('other');
    expect(codeOf(() => readJwt(jwt({}, { 'x-ably-token': 1 })))).toBe(40_144);
  });

  it('that is sealed is opened by the secret of its key, and by no other', () => {
    const sealed = jwe('what it holds');
    expect(isJwe(sealed)).toBe(true);
    expect(readJwe(sealed).open(SECRET)).toBe('what it holds');
    expect(codeOf(() => readJwe(sealed).open('other'))).toBe(40_144);
    const [head = '', , iv = '', text = '', tag = ''] = sealed.split('.');
    const forged = [part({ alg: 'dir', enc: 'A256GCM', cty: 'JWT', kid: 'other' }), '', iv, text, tag].join(
      '.',
    );
    expect(codeOf(() => readJwe(forged).open(SECRET))).toBe(40_144);
    for (const wrong of [
      [head, 'k', iv, text, tag],
      [head, '', 'x', text, tag],
      [head, '', iv, text, 'x'],
      ['', '', iv, text, tag],
    ])
      expect(codeOf(() => readJwe(wrong.join('.')))).toBe(40_144);
    for (const header of [
      { alg: 'RSA-OAEP' },
      { enc: 'A128GCM' },
      { cty: 'x' },
      { kid: '' },
      { kid: 1 },
      { zip: 'DEF' },
      { zip: null },
      { crit: ['exp'] },
    ])
      expect(codeOf(() => readJwe(jwe('x', header)))).toBe(40_144);
  });
});
