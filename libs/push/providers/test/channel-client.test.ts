import { describe, expect, it } from 'vitest';
import { ChannelClient } from '../src/drivers/channel-client.js';
import { type ChannelMessage, ChannelRefused, ProviderUnavailable, renderPayload } from '../src/index.js';

const request = {
  target: { kind: 'recipient', recipient: { transportType: 'realtime', channel: 'c' } },
  payload: renderPayload('realtime', { title: 'Hi', data: { n: 1 } }).payload,
  deliveryKey: 'f00d',
  expiresAtMs: null,
} as const;

const failing = (error: Error) =>
  new ChannelClient('shop', {
    deliver: async () => {
      throw error;
    },
  });

describe('a device whose address is a channel', () => {
  it('is told by a message there, under the same id at every attempt', async () => {
    const told: ChannelMessage[] = [];
    const client = new ChannelClient('shop', { deliver: async (message) => void told.push(message) });
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await client.send(request)).toEqual({ kind: 'accepted', providerMessageId: 'push:f00d' });
    const text = '{"notification":{"title":"Hi"},"data":{"n":1}}';
    const message = { appId: 'shop', channel: 'c', id: 'push:f00d', text };
    expect(told).toEqual([message, message]);
  });

  it('is told later what cannot be told now, and never what the channel does not take', async () => {
    expect(await failing(new Error('away')).send(request)).toMatchObject({
      kind: 'retryable',
      failureClass: 'provider_transient',
    });
    expect(await failing(new ChannelRefused('no')).send(request)).toMatchObject({
      kind: 'rejected',
      failureClass: 'caller_payload',
    });
    expect(await failing(new ProviderUnavailable('realtime')).send(request)).toMatchObject({
      kind: 'rejected',
      failureClass: 'credential_auth',
    });
    const recipient = { transportType: 'hms', registrationToken: 't' } as const;
    const other = { ...request, target: { kind: 'recipient', recipient } as const };
    expect(await failing(new Error('not asked')).send(other)).toMatchObject({ kind: 'rejected' });
  });
});
