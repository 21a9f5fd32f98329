import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import Pusher from 'pusher';
import { describe, expect, it } from 'vitest';
import { CarillonServer, WebhookError } from '../src/index.js';
import { Hmac } from '../src/requests/crypto.js';
import { md5 } from '../src/requests/md5.js';

const CREDENTIALS = {
  appId: '1001',
  key: 'key-1',
  secret: 'secret-1',
  host: '127.0.0.1',
  port: 6001,
  useTLS: false,
};
const ours = new CarillonServer(CREDENTIALS);
const theirs = new Pusher({ ...CREDENTIALS, port: '6001' });

describe('CarillonServer beside the package pusher', () => {
  it('authorizes channels with the same texts', async () => {
    const members = fc.option(fc.record({ user_id: fc.string({ minLength: 1 }), user_info: fc.jsonValue() }));
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^private-[a-z]{1,9}$/), members, async (channel, member) => {
        expect(await ours.authorizeChannel('12.34', channel, member ?? undefined)).toEqual(
          theirs.authorizeChannel('12.34', channel, (member ?? undefined) as never),
        );
      }),
    );
  });

  it('authenticates users with the same texts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (id) => {
        expect(await ours.authenticateUser('12.34', { id, watchlist: ['ü'] })).toEqual(
          theirs.authenticateUser('12.34', { id, watchlist: ['ü'] }),
        );
      }),
    );
  });

  it('signs queries with the same text', async () => {
    const request = { method: 'POST', path: '/apps/1001/events', body: '{"ü":1}' };
    const text = theirs.createSignedQueryString({ ...request, params: { info: 'user_count' } });
    const timestamp = Number(/auth_timestamp=(\d+)/.exec(text)?.[1]);
    expect(await ours.signedQuery({ ...request, query: { info: 'user_count' }, timestamp })).toBe(text);
  });

  it('hashes bodies of any length with MD5', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(md5(bytes)).toBe(createHash('md5').update(bytes).digest('hex'));
      }),
    );
  });
});

const signatureOf = (text: string, secret = 'secret-1'): Promise<string> => new Hmac(secret).hex(text);

const headersOf = (signature: string, more: Record<string, string> = {}): Record<string, string> => ({
  'Content-Type': 'application/json',
  'X-Pusher-Key': 'key-1',
  'X-Pusher-Signature': signature,
  ...more,
});

describe('verifyWebhook', () => {
  const body = '{"time_ms":1760000000123,"events":[{"name":"channel_occupied","channel":"ü"}]}';
  it('has the verdict of the package pusher', async () => {
    const signature = await signatureOf(body);
    for (const [headers, text, code] of [
      [headersOf(signature), body, null],
      [headersOf(signature), body.replace('ü', 'u'), 'signature_mismatch'],
      [headersOf(await signatureOf(body, 'other')), body, 'signature_mismatch'],
      [headersOf('zz'), body, 'signature_mismatch'],
      [headersOf(signature, { 'X-Pusher-Key': 'key-2' }), body, 'unknown_key'],
      [headersOf(signature, { 'Content-Type': 'text/plain' }), body, 'invalid_content_type'],
      [{ 'Content-Type': 'application/json' }, body, 'missing_signature'],
    ] as const) {
      const lower = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const verdict = theirs.webhook({ headers: lower, rawBody: text }).isValid();
      expect(verdict).toBe(code === null);
      const verified = await ours.verifyWebhook({ headers, body: text }).catch((error: unknown) => error);
      if (code === null) expect(verified).toMatchObject({ key: 'key-1', timeMs: 1760000000123, id: null });
      else expect(verified).toMatchObject({ name: WebhookError.name, code });
    }
  });

  it('accepts a Request, the signature of a new secret, and other credentials', async () => {
    const old = await signatureOf(body, 'old');
    const headers = headersOf(old, {
      'X-Service-Signature-Next': await signatureOf(body),
      'X-Service-Webhook-Id': 'w-1',
    });
    const request = new Request('http://localhost/hook', { method: 'POST', headers, body });
    expect(await ours.verifyWebhook(request)).toMatchObject({ id: 'w-1', events: [{ channel: 'ü' }] });
    const foreign = { ...headersOf(old), 'X-Pusher-Key': 'key-0' };
    const credentials = [{ key: 'key-0', secret: 'old' }];
    expect(await ours.verifyWebhook({ headers: foreign, rawBody: body }, { credentials })).toMatchObject({
      key: 'key-0',
    });
  });

  it('rejects a signed body that is not a webhook', async () => {
    for (const text of ['[]', '{"events":[]}', 'x']) {
      const headers = headersOf(await signatureOf(text));
      await expect(ours.verifyWebhook({ headers, body: text })).rejects.toMatchObject({
        code: 'invalid_body',
      });
    }
  });
});

describe('options', () => {
  it('are read from an app URL, an object or the environment, and the secret is not shown', () => {
    const url = 'https://k%201:s@example.com:8443/prefix/apps/1%2F2';
    for (const server of [new CarillonServer(url), CarillonServer.fromEnv({ CARILLON_APP_URL: url })]) {
      expect(server).toMatchObject({ appId: '1/2', key: 'k 1', url: 'https://example.com:8443/prefix' });
      expect(JSON.stringify(server)).not.toContain('"s"');
    }
    expect(() => new CarillonServer({ ...CREDENTIALS, cluster: 'eu' } as never)).toThrow('"url" or "host"');
    expect(() => CarillonServer.fromEnv({ CARILLON_APP_ID: '1' })).toThrow('CARILLON_URL, CARILLON_APP_KEY');
    expect(() => new CarillonServer('http://example.com/apps/1')).toThrow('lacks a part');
  });

  it.each([
    [{ clientId: '', capability: {} }, 'clientId'],
    [{ clientId: 'c', capability: {}, ttlSeconds: 86_401 }, 'ttlSeconds'],
    [{ clientId: 'c', capability: { '': [] } }, 'empty pattern'],
    [{ clientId: 'c', capability: { a: ['sing'] } }, '"sing" is unknown'],
  ])('of a token are checked: %j', async (claims, text) => {
    await expect(ours.mintToken(claims as never)).rejects.toThrow(text);
  });
});
