import { afterAll, describe, expect, it } from 'vitest';
import { openProvider, type ProviderSettings } from '../../src/index.js';
import { CREDENTIALS } from './room.js';

const SETTINGS: ProviderSettings = {
  endpoints: { fcm: null, apns: null, hms: null, wns: null },
  fcmProjectId: null,
  apnsTopic: null,
  vapidContact: null,
  deviceUrls: { allowLocal: false, allowedHosts: [], deniedHosts: [], wnsHosts: [] },
  production: true,
};

/** Public by name, which is all that can be known before it is looked up. */
const LEADS_TO = `
  0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
  224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 fc00::1 fd12::1 fe80::1 ff02::1 2001:db8::1 ::ffff:10.0.0.1 ::ffff:127.0.0.1 64:ff9b::10.0.0.1 2002:7f00:1:: 2002:a00:1::`
  .trim()
  .split(/\s+/);

describe('a name that leads inside, as is known only when connecting', () => {
  let addresses: string[] = [];
  const resolve = async () => {
    if (addresses.length === 0) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const clients = {
    webpush: openProvider(CREDENTIALS.webpush, SETTINGS, { resolve }),
    wns: openProvider({ ...CREDENTIALS.wns, access: { kind: 'token', token: 't' } }, SETTINGS, { resolve }),
  };
  afterAll(async () => {
    await Promise.all(Object.values(clients).map(async (client) => (await client).close()));
  });
  const send = async (provider: keyof typeof clients) => {
    const p256dh = CREDENTIALS.webpush.publicKey;
    const recipient =
      provider === 'webpush'
        ? ({
            transportType: 'web',
            endpoint: 'https://push.example/1',
            p256dh,
            auth: 'A'.repeat(22),
          } as const)
        : ({ transportType: 'wns', channelUri: 'https://db5.notify.windows.com/?t=1' } as const);
    const request = {
      target: { kind: 'recipient', recipient },
      payload: {},
      deliveryKey: '0'.repeat(64),
      expiresAtMs: null,
    } as const;
    return (await clients[provider]).send(request, new AbortController().signal);
  };

  it.each(LEADS_TO)('is not connected to: %s', async (address) => {
    for (const found of [[address], ['93.184.216.34', address]]) {
      addresses = found;
      const expected = { kind: 'rejected', errorClass: 'provider_rejected', failureClass: 'unknown' };
      expect(await send('webpush')).toMatchObject(expected);
      expect(await send('wns')).toMatchObject(expected);
    }
  });

  it('is tried again later where it leads nowhere', async () => {
    addresses = [];
    expect(await send('webpush')).toMatchObject({ kind: 'retryable', failureClass: 'network_transport' });
  });
});
