import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { tenant, type Tenant } from '../harness/tenant.js';

let count = 0;
const allowing = (...allowed_origins: string[]): Tenant =>
  tenant(`origin-${(count += 1)}`, { channels: { allowed_origins } });

/** For each list, origins it allows and origins it rejects; null is a missing header. */
const CASES: readonly (readonly [Tenant, readonly (string | null)[], readonly (string | null)[]])[] = [
  [tenant('origin-absent'), [null, 'https://anywhere.example'], []],
  [allowing(), [null, 'https://anywhere.example'], []],
  [allowing('*'), [null, 'https://anywhere.example', 'null'], []],
  [allowing('any'), [null, 'https://anywhere.example'], []],
  [allowing('ANY'), [null, 'https://anywhere.example'], []],
  [
    allowing('https://shop.example.com'),
    ['https://shop.example.com', 'HTTPS://Shop.Example.COM'],
    [
      null,
      '',
      'null',
      'http://shop.example.com',
      'https://shop.example.com:8443',
      'https://shop.example.com.evil.example',
      'https://a.shop.example.com',
    ],
  ],
  [allowing('HTTPS://SHOP.example.com'), ['https://shop.example.com'], ['https://example.com']],
  [
    allowing('app.example.com'),
    ['https://app.example.com', 'http://app.example.com', 'capacitor://app.example.com'],
    [null, 'https://app.example.com:8443', 'https://b.app.example.com', 'https://example.com'],
  ],
  [
    allowing('localhost:3000'),
    ['http://localhost:3000', 'https://localhost:3000'],
    [null, 'http://localhost', 'http://localhost:3001'],
  ],
  [
    allowing('*.example.com'),
    ['https://a.example.com', 'https://example.com', 'http://a.b.example.com', 'https://A.EXAMPLE.com'],
    [null, 'https://badexample.com', 'https://example.com.evil.example', 'https://example.org'],
  ],
  [
    allowing('https://*.example.com'),
    ['https://a.example.com', 'https://a.b.example.com'],
    [null, 'http://a.example.com', 'https://example.com', 'https://a.example.com.evil.example'],
  ],
  [
    allowing('http://localhost:*'),
    ['http://localhost:3000', 'http://localhost:8080'],
    [null, 'http://localhost', 'https://localhost:3000'],
  ],
  // The texts before and after the star may not share characters of the origin.
  [
    allowing('http://aba*ba.example'),
    ['http://ababa.example', 'http://aba-ba.example'],
    ['http://aba.example'],
  ],
  [
    allowing('https://first.example', '*.second.example'),
    ['https://first.example', 'https://deep.second.example'],
    [null, 'https://third.example'],
  ],
];

onServer('the origin of a browser', { tenants: CASES.map(([app]) => app) }, (node) => {
  it.each(CASES)('is judged by the list of $id', async (app, allowed, rejected) => {
    const codeOf = async (origin: string | null): Promise<number | null> => {
      const headers: Record<string, string> = origin === null ? {} : { Origin: origin };
      const client = await node.socket(app, { headers });
      const { event, data } = await client.next();
      if (event === 'pusher:connection_established') return null;
      const { code, message } = data as { code: number; message: string };
      expect(message).toBe('Origin not allowed');
      expect(await client.ended()).toEqual({ texts: [], code, reason: message });
      return code;
    };
    const codes = async (origins: readonly (string | null)[]) =>
      Promise.all(origins.map(async (origin) => [origin, await codeOf(origin)]));
    expect(await codes(allowed)).toEqual(allowed.map((origin) => [origin, null]));
    expect(await codes(rejected)).toEqual(rejected.map((origin) => [origin, 4009]));
  });
});
