import { expect, it } from 'vitest';
import { type Credential, DRY_RUN, MemoryClouds, type SendRequest } from '../src/index.js';
import { clientConformance } from './conformance.js';

const credential: Credential = {
  provider: 'hms',
  hmsAppId: 'an-app',
  access: { kind: 'token', token: 'a-token' },
};

const request = (name: string): SendRequest => ({
  target: { kind: 'recipient', recipient: { transportType: 'hms', registrationToken: name } },
  payload: {},
  deliveryKey: Buffer.from(name).toString('hex').padEnd(64, '0'),
  expiresAtMs: null,
});

clientConformance('memory', async () => {
  const clouds = new MemoryClouds();
  return {
    client: await clouds.open(credential),
    credential,
    request,
    answer: (outcome) => clouds.answer(() => outcome),
    hang: () => clouds.answer(() => new Promise(() => {})),
    arrived: () => clouds.arrivals.length,
  };
});

it('a dry run accepts everything under an id that says so (58)', async () => {
  const client = await DRY_RUN.open(credential);
  const outcome = await client.send(request('a'), new AbortController().signal);
  expect(outcome).toEqual({ kind: 'accepted', providerMessageId: `dry-run:${'61'.padEnd(16, '0')}` });
});
