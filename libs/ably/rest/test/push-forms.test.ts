import { CompatError, toNativePayload } from '@carillon/ably-core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceTokenText, isDeviceToken, readDeviceToken } from '../src/push/device-token.js';
import { fromNativeDevice, toNativeDevice, unchanged } from '../src/push/devices.js';
import { readPushPublish } from '../src/push/publishes.js';
import { fromNativeRecipient, toNativeRecipient } from '../src/push/recipients.js';

const codeOf = (work: () => unknown): number => {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof CompatError) return error.code;
    throw error;
  }
};

const web = {
  transportType: 'web',
  targetUrl: Buffer.from('https://push.example/x').toString('base64'),
  encryptionKey: { p256dh: 'p', auth: 'a' },
};

describe('addresses of devices', () => {
  it.each([
    { transportType: 'fcm', registrationToken: 't' },
    { transportType: 'gcm', registrationToken: 't' },
    { transportType: 'apns', deviceToken: 't' },
    { transportType: 'web', endpoint: 'https://push.example/x', p256dh: 'p', auth: 'a' },
    web,
    { transportType: 'hms', registrationToken: 't' },
    { transportType: 'wns', channelUri: 'https://wns.example' },
  ])('are given back as they were written: $transportType', (recipient) => {
    expect(fromNativeRecipient(toNativeRecipient(recipient))).toEqual(recipient);
  });

  it('are in the words of the service in between', () => {
    expect(toNativeRecipient(web)).toMatchObject({ endpoint: 'https://push.example/x', p256dh: 'p' });
    expect(codeOf(() => toNativeRecipient({ transportType: 'pigeon' }))).toBe(40_000);
    expect(codeOf(() => toNativeRecipient(null))).toBe(40_000);
  });
});

describe('devices', () => {
  it('keep what a change says nothing of', () => {
    const before = {
      id: 'd',
      clientId: null,
      platform: 'ios',
      formFactor: 'phone',
      timezone: 'UTC',
      locale: 'en',
    };
    const stored = { ...before, metadata: { a: 1 }, recipient: { transportType: 'apns', deviceToken: 't' } };
    expect(toNativeDevice({ clientId: 'ada' }, 'd', unchanged(stored))).toMatchObject({
      id: 'd',
      clientId: 'ada',
      platform: 'ios',
      metadata: { a: 1 },
      push: { recipient: stored.recipient },
    });
    expect(codeOf(() => toNativeDevice({ id: 'other' }, 'd'))).toBe(40_000);
    expect(toNativeDevice({ id: 'd', deviceSecret: 's' }, null)).not.toHaveProperty('deviceSecret');
  });

  it('tell why they cannot be reached', () => {
    const device = { id: 'd', clientId: 'ada', recipient: {}, pushState: 'FAILED', pushErrorReason: 'gone' };
    expect(fromNativeDevice(device)).toMatchObject({ push: { state: 'FAILED', error: { message: 'gone' } } });
  });

  it('prove themselves with a token that says which they are', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (appId, deviceId) => {
        const token = { appId, deviceId, token: 'native_token-1' };
        fc.pre(appId.isWellFormed() && deviceId.isWellFormed());
        const text = deviceTokenText(token);
        expect(isDeviceToken(text)).toBe(true);
        expect(readDeviceToken(text)).toEqual(token);
      }),
    );
    for (const text of ['', 'v1.a.b', 'v1.a.b.c.d', 'v2.a.b.c', 'v1.a.b. ', 'v1...'])
      expect(codeOf(() => readDeviceToken(text))).toBe(40_140);
  });
});

describe('publishes', () => {
  it('are parted into those for devices and those for channels', () => {
    const published = readPushPublish({
      recipient: [
        { deviceId: 'd' },
        { clientId: 'ada' },
        { transportType: 'fcm', registrationToken: 't' },
        { transportType: 'ablyChannel', channel: 'c', ablyKey: 'ignored' },
      ],
      notification: { title: 'T', sound: 's', what: 1 },
      data: { n: '1' },
      apns: { aps: {} },
    });
    expect(published.native).toEqual({
      recipients: [
        { type: 'device', deviceId: 'd' },
        { type: 'client', clientId: 'ada' },
        { type: 'recipient', recipient: { transportType: 'gcm', registrationToken: 't', writtenAs: 'fcm' } },
      ],
      payload: { title: 'T', sound: 's', data: { n: '1' } },
      providerOverrides: [{ provider: 'apns', payload: { aps: {} } }],
    });
    expect(published.channels).toEqual(['c']);
    expect(published.onlyDevice).toBeNull();
    expect(readPushPublish({ recipient: { deviceId: 'd' } }).onlyDevice).toBe('d');
    expect(readPushPublish({ recipient: { transportType: 'ablyChannel', channel: 'c' } }).native).toBeNull();
  });

  it('are refused without anybody whom they are for', () => {
    for (const recipient of [undefined, [], {}, 'x', Array.from({ length: 1025 }, () => ({ deviceId: 'd' }))])
      expect(codeOf(() => readPushPublish({ recipient }))).toBe(40_000);
    expect(codeOf(() => readPushPublish(null))).toBe(40_000);
  });

  it('say the same in both forms', () => {
    const content = { title: 'T', body: 'B' };
    expect(toNativePayload({ notification: content, data: { a: 'b' } })).toEqual({
      ...content,
      data: { a: 'b' },
    });
    expect(toNativePayload({ ...content, templateData: {} })).toEqual({ ...content, templateData: {} });
  });
});
