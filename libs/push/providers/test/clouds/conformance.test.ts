import { whyMissing } from '@carillon/test-backends';
import { afterAll, describe } from 'vitest';
import { type PushClient, CLOUDS, type Cloud as Provider, type SendOutcome } from '../../src/index.js';
import { clientConformance } from '../conformance.js';
import { CloudRoom, CREDENTIALS } from './room.js';

/** Response of each cloud for an outcome. */
const WORDS: Readonly<Record<Provider, Readonly<Record<string, unknown>>>> = {
  fcm: {
    device_terminal: 'UNREGISTERED',
    provider_quota: 'QUOTA_EXCEEDED',
    provider_transient: 'UNAVAILABLE',
  },
  apns: {
    device_terminal: 'Unregistered',
    provider_quota: 'TooManyRequests',
    provider_transient: 'ServiceUnavailable',
  },
  webpush: { device_terminal: '410', provider_quota: '429', provider_transient: '503' },
  hms: { device_terminal: '80300007', provider_quota: '429', provider_transient: '81000001' },
  wns: { device_terminal: '410', provider_quota: '429', provider_transient: '503' },
};

describe.runIf(whyMissing('push-clouds') === null)('with stand-ins for the clouds', () => {
  const clients: PushClient[] = [];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
  });

  for (const provider of CLOUDS) {
    clientConformance(provider, async () => {
      const room = await CloudRoom.open();
      const client = await room.open(CREDENTIALS[provider]);
      clients.push(client);
      return {
        client,
        credential: CREDENTIALS[provider],
        request: (name) => room.request(provider, encodeURIComponent(name)),
        answer: async (outcome: SendOutcome) => {
          if (outcome.kind === 'accepted') return;
          await room.answer(provider, WORDS[provider][outcome.failureClass]);
        },
        hang: () => room.answer(provider, { act: 'hang' }),
        arrived: async () => (await room.arrived(provider)).count,
      };
    });
  }
});
