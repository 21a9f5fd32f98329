import { type Credential, MemoryClouds, type SendRequest } from '../src/index.js';
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
