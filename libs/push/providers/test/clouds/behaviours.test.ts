import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whyMissing } from '@carillon/test-backends';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type CloudCredential as Credential,
  type PushClient,
  CLOUDS,
  type ProviderSettings,
} from '../../src/index.js';
import { CloudRoom, CREDENTIALS, SECRETS } from './room.js';

const { signal } = new AbortController();

describe.runIf(whyMissing('push-clouds') === null)('clients of the clouds', () => {
  let room: CloudRoom;
  const clients: PushClient[] = [];
  beforeEach(async () => {
    room = await CloudRoom.open();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  const open = async (credential: Credential, settings?: Partial<ProviderSettings>): Promise<PushClient> => {
    const client = await room.open(credential, settings);
    clients.push(client);
    return client;
  };

  it.each(CLOUDS)(
    'of %s carry a hundred sends over one HTTP/2 connection with one token',
    async (provider) => {
      const client = await open(CREDENTIALS[provider]);
      const sends = Array.from({ length: 100 }, (_, n) =>
        client.send(room.request(provider, `d${n}`), signal),
      );
      expect((await Promise.all(sends)).every(({ kind }) => kind === 'accepted')).toBe(true);
      const { arrived, count } = await room.arrived(provider);
      expect(count).toBe(100);
      expect(new Set(arrived.map(({ version }) => version))).toEqual(new Set(['2.0']));
      expect(client.usage).toEqual({ connections: 1, streams: 0 });
      if (provider === 'fcm' || provider === 'hms' || provider === 'wns') {
        expect((await room.arrived(`${provider}-token`)).count).toBe(1);
      }
    },
  );

  it('of FCM ask the token service of the account when it is on loopback', async () => {
    const asked: string[] = [];
    const tokens = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end(JSON.stringify({ access_token: 'of-a-stand-in', expires_in: 3600 }));
    });
    await new Promise<void>((listening) => void tokens.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void tokens.close());
    const { port } = tokens.address() as AddressInfo;
    const { fcm } = CREDENTIALS;
    const tokenUri = `http://127.0.0.1:${port}/oauth/token`;
    const client = await open({ ...fcm, access: { ...fcm.access, tokenUri } });
    await client.send(room.request('fcm', 'phone'), signal);
    expect(asked).toContain('POST /oauth/token');
    expect((await room.arrived('fcm-token')).count).toBe(0);
    const [message] = (await room.arrived('fcm')).arrived;
    expect(message?.headers['authorization']).toBe('Bearer of-a-stand-in');
  });

  it('encrypt what only the browser reads, and vouch for it', async () => {
    const client = await open(CREDENTIALS.webpush);
    const request = room.request('webpush', 'browser', { expiresAtMs: Date.now() + 60_500 });
    expect(await client.send(request, signal)).toMatchObject({ kind: 'accepted' });
    const [message] = (await room.arrived('webpush')).arrived;
    expect(message?.body).toBe('{"notification":{"title":"Hi"}}');
    expect(message?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' });
    expect(Number(message?.headers['ttl'])).toBeLessThanOrEqual(60);
  });

  it('tell APNs what it wants to know', async () => {
    const client = await open(CREDENTIALS.apns);
    const payload = { headers: { 'apns-push-type': 'voip', 'apns-collapse-id': 'c'.repeat(65) }, aps: {} };
    const outcome = await client.send(room.request('apns', 'phone', { payload, expiresAtMs: 5_000 }), signal);
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: '70686f6e-6500-0000-0000-000000000000' });
    const [push] = (await room.arrived('apns')).arrived;
    expect(push?.headers).toMatchObject({ 'apns-topic': 'com.example.app.voip', 'apns-expiration': '5' });
    expect(push?.headers['apns-collapse-id']).toHaveLength(64);
  });

  it('write channels of Windows as XML', async () => {
    const client = await open(CREDENTIALS.wns);
    await client.send(room.request('wns', 'pc'), signal);
    const [push] = (await room.arrived('wns')).arrived;
    expect(push?.body).toContain('<text>Hi</text><text>a &lt; b</text>');
    expect(push?.headers).toMatchObject({
      'x-wns-type': 'wns/toast',
      'x-wns-tag': 'tag',
      'content-type': 'text/xml',
    });
  });

  it('reach topics of FCM and tell it how long to keep them', async () => {
    const client = await open(CREDENTIALS.fcm);
    const target = { kind: 'audience', audience: { topic: 'news' } } as const;
    await client.send(room.request('fcm', 'x', { target, expiresAtMs: Date.now() - 1 }), signal);
    const [push] = (await room.arrived('fcm')).arrived;
    expect(push?.body).toMatchObject({ message: { topic: 'news', android: { ttl: '0s' } } });
  });

  it.each(['fcm', 'hms', 'wns'] as const)('of %s renew a token that is refused, once', async (provider) => {
    const client = await open(CREDENTIALS[provider]);
    await client.send(room.request(provider, 'd'), signal);
    await room.say({ do: 'forget-grants' });
    expect(await client.send(room.request(provider, 'd'), signal)).toMatchObject({ kind: 'accepted' });
    expect((await room.arrived(`${provider}-token`)).count).toBe(2);
    expect((await room.arrived(provider)).count).toBe(3);
  });

  it.each(['fcm', 'hms', 'wns'] as const)(
    'of %s tell whose fault it is that there is no token',
    async (provider) => {
      await room.answer(`${provider}-token`, { status: 400, body: { error: 'invalid_grant' } }, { times: 1 });
      await room.answer(`${provider}-token`, { status: 503 }, { times: 1 });
      const client = await open(CREDENTIALS[provider]);
      const send = () => client.send(room.request(provider, 'd'), signal);
      expect(await send()).toMatchObject({ kind: 'rejected', failureClass: 'credential_auth' });
      expect(await send()).toMatchObject({ kind: 'retryable', failureClass: 'provider_transient' });
      expect(await send()).toMatchObject({ kind: 'accepted' });
    },
  );

  it('use a certificate or its container where there is no key', async () => {
    const { clientPem: pem, clientP12: p12, p12Password: password } = room.about;
    for (const access of [
      { kind: 'pem', pem },
      { kind: 'p12', p12, password },
    ] as const) {
      const client = await open({ ...CREDENTIALS.apns, access });
      expect(await client.send(room.request('apns', 'd'), signal)).toMatchObject({ kind: 'accepted' });
    }
    const broken = { kind: 'p12', p12, password: 'wrong' } as const;
    const client = await open({ ...CREDENTIALS.apns, access: broken });
    expect(await client.send(room.request('apns', 'd'), signal)).toMatchObject({
      kind: 'rejected',
      failureClass: 'credential_auth',
    });
  });

  it.each(CLOUDS)('of %s outlive a goodbye and the loss of a connection', async (provider) => {
    const client = await open(CREDENTIALS[provider]);
    await room.answer(provider, { act: 'goaway', status: 200, body: { code: '80000000' } }, { times: 1 });
    await room.answer(provider, { act: 'drop' }, { times: 1 });
    const send = () => client.send(room.request(provider, 'd'), signal);
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(await send()).toMatchObject({ kind: 'retryable', failureClass: 'network_transport' });
    expect(await send()).toMatchObject({ kind: 'accepted' });
  });

  it.each(CLOUDS)('of %s wait as long as they are told, and a little more', async (provider) => {
    const client = await open(CREDENTIALS[provider]);
    const status = provider === 'apns' ? 503 : 429;
    await room.answer(provider, { status, headers: { 'retry-after': '100' } });
    const before = Date.now();
    const outcome = await client.send(room.request(provider, 'd'), signal);
    const waitMs = (outcome.kind === 'retryable' ? (outcome.retryAtMs ?? 0) : 0) - before;
    expect(waitMs).toBeGreaterThanOrEqual(100_000);
    expect(waitMs).toBeLessThan(130_000);
  });

  it('read no more than 64 KiB of an answer', async () => {
    const client = await open(CREDENTIALS.webpush);
    await room.answer('webpush', { status: 410, body: 'x'.repeat(300_000) });
    expect(await client.send(room.request('webpush', 'd'), signal)).toMatchObject({
      errorClass: 'invalid_token',
    });
  });

  it('refuse keys of a browser that are none, before anything is sent', async () => {
    const client = await open(CREDENTIALS.webpush);
    const { target, ...rest } = room.request('webpush', 'd');
    const web = target.kind === 'recipient' ? target.recipient : null;
    if (web?.transportType !== 'web') throw new Error('no browser');
    for (const bad of [{ p256dh: 'AAAA' }, { auth: '!!' }, { p256dh: 'B'.repeat(87) }]) {
      const to = { kind: 'recipient', recipient: { ...web, ...bad } } as const;
      expect(await client.send({ ...rest, target: to }, signal)).toMatchObject({
        failureClass: 'device_terminal',
      });
    }
    expect((await room.arrived('webpush')).count).toBe(0);
  });

  it('say nothing secret, whatever happens', async () => {
    const said: string[] = [];
    for (const provider of CLOUDS) {
      const client = await open(CREDENTIALS[provider]);
      const name = `device-token-of-${provider}`;
      const body = { error: { message: name, status: name }, reason: name, code: name, msg: name };
      for (const answer of [
        { status: 400, body },
        { status: 401, body },
        { status: 503, body },
        { act: 'drop' },
      ]) {
        await room.answer(provider, answer);
        said.push(
          JSON.stringify(await client.send(room.request(provider, name), signal)),
          JSON.stringify(client),
        );
      }
    }
    for (const secret of [...SECRETS, room.keys.auth]) expect(said.join('\n')).not.toContain(secret);
  });
});
