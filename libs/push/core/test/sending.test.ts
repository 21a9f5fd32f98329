import { configure } from '@carillon/config';
import { accepted, type SendOutcome, type SendRequest } from '@carillon/push-providers';
import { type Claim, MemoryPushStore, type StoredDevice } from '@carillon/push-store';
import type { Job } from '@carillon/queue';
import { createParts } from '@carillon/runtime';
import { describe, expect, it, vi } from 'vitest';
import type { PushParts } from '../src/parts.js';
import { Breakers, Gates } from '../src/pipeline/breakers.js';
import { Claimer } from '../src/pipeline/claimer.js';
import type { Credentials, ResolvedCredential } from '../src/pipeline/credentials.js';
import type { NewItem } from '../src/pipeline/items.js';
import type { Outbox } from '../src/pipeline/outbox.js';
import type { DeliveryBatch } from '../src/pipeline/payloads.js';
import { ResultWriter } from '../src/pipeline/result-writer.js';
import { Sending } from '../src/pipeline/sending.js';
import { Secrets } from '../src/secrets.js';

const NOW = 1_790_000_000_000;
const ADDRESS = JSON.stringify({ transportType: 'gcm', registrationToken: 't' });

const device = (number: number) =>
  ({
    appId: 'shop',
    deviceId: `device-${number}`,
    provider: 'fcm',
    tokenHash: 'h',
    recipient: ADDRESS,
    state: 'ACTIVE',
    rateCapacity: null,
    rateRefill: null,
  }) as StoredDevice;

const claim = (number: number): Claim => ({
  appId: 'shop',
  publishId: 'p',
  deliveryKey: `key-${number}`,
  provider: 'fcm',
  deviceId: `device-${number}`,
  batchId: 'b',
  state: 'planned',
  attempt: 1,
  leaseUntilMs: null,
  outcome: null,
  firstAttemptMs: null,
  updatedMs: NOW,
});

async function sceneOf(
  count: number,
  send: (request: SendRequest) => Promise<SendOutcome>,
  resultsAgeMs: number | null = null,
) {
  const files = { exists: () => false, read: () => '' };
  const outcome = configure({ process: 'server', argv: [], env: { RUST_LOG: 'off' }, cwd: '/', files });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const { config } = outcome;
  const { logging, metrics } = createParts(config);
  const log = logging.for('test');
  const store = new MemoryPushStore();
  const numbers = Array.from({ length: count }, (_, number) => number);
  for (const number of numbers) await store.changeDevice('shop', `device-${number}`, () => device(number));
  await store.plan('shop', 'p', numbers.map(claim));
  const queue = {
    capabilities: { observableLag: true },
    stats: async () => ({ oldestReadyAgeMs: resultsAgeMs, oldestActiveAgeMs: null }),
  };
  const parts = {
    config,
    store,
    queue,
    secrets: new Secrets(null),
    log,
    meta: log,
    metrics,
    owner: 'o',
    now: () => NOW,
  } as unknown as PushParts;
  const told: NewItem[] = [];
  const outbox = { hand: async (items: readonly NewItem[]) => void told.push(...items) } as unknown as Outbox;
  const credentials = { client: async () => ({ send }) } as unknown as Credentials;
  const resolved = { tenant: 'shop', credentialId: 'c', version: '1' } as unknown as ResolvedCredential;
  const breakers = new Breakers(config.push.circuit_breaker);
  const batch: DeliveryBatch = {
    appId: 'shop',
    publishId: 'p',
    provider: 'fcm',
    batchId: 'b',
    rendered: {},
    expiresAtMs: null,
    jobs: numbers.map((number) => ({
      deliveryKey: `key-${number}`,
      attempt: 1,
      firstAttemptAtMs: null,
      deviceId: `device-${number}`,
      recipient: null,
      audience: null,
    })),
  };
  const stop = new AbortController();
  const job = { signal: stop.signal, renew: async () => true } as unknown as Job;
  const run = () =>
    new Sending(parts, new Claimer(parts), new ResultWriter(parts, outbox), credentials).send(batch, {
      resolved,
      gates: new Gates(breakers, { appId: 'shop', provider: 'fcm', resolved }),
      job,
      onFirst: async () => {},
    });
  const states = async () => {
    const open = await store.openClaims('shop', 'p', null, 1000);
    return Object.fromEntries(
      ['planned', 'sending'].map((state) => [state, open.filter((one) => one.state === state).length]),
    );
  };
  return { store, told, run, stop, states };
}

describe('Sending', () => {
  it('reads the devices of a batch once and claims as many deliveries as may be in flight', async () => {
    const { store, told, run } = await sceneOf(100, async () => accepted('id'));
    const take = vi.spyOn(store, 'takeForSending');
    const read = vi.spyOn(store, 'devicesOf');
    expect(await run()).toEqual({ left: false, begun: true, throttled: false });
    expect(take.mock.calls.map(([, , jobs]) => jobs.length)).toEqual([32, 32, 32, 4]);
    expect([read.mock.calls.length, told.length]).toEqual([1, 100]);
  });

  it('leaves the deliveries that were not begun unclaimed when its job is stopped', async () => {
    let sent = 0;
    const scene = await sceneOf(100, async () => {
      sent += 1;
      scene.stop.abort();
      return accepted('id');
    });
    expect(await scene.run()).toMatchObject({ left: true, begun: true });
    expect(await scene.states()).toEqual({ planned: 68, sending: 32 });
    expect([sent, scene.told.length]).toEqual([32, 32]);
  });

  it('tells results while the slowest of them has not answered', async () => {
    const answers: ((outcome: SendOutcome) => void)[] = [];
    const slow = new Promise<SendOutcome>((resolve) => void answers.push(resolve));
    const { told, run } = await sceneOf(32, async ({ deliveryKey }) =>
      deliveryKey === 'key-0' ? slow : accepted('id'),
    );
    const sending = run();
    await vi.waitFor(() => expect(told).toHaveLength(31));
    for (const answer of answers) answer(accepted('id'));
    await sending;
    expect(told).toHaveLength(32);
  });

  it('leaves what others are sending, and comes back for it', async () => {
    const { store, told, run } = await sceneOf(10, async () => accepted('id'));
    const lease = { owner: 'another', nowMs: NOW, untilMs: NOW + 60_000 };
    await store.takeForSending('shop', 'p', [{ deliveryKey: 'key-3', attempt: 1 }], lease);
    expect(await run()).toMatchObject({ left: true });
    expect(told).toHaveLength(9);
  });

  it('sends again what a dead worker held when its lease has ended and its results are applied', async () => {
    for (const [resultsAgeMs, left] of [
      [null, false],
      [4999, false],
      [5001, true],
    ] as const) {
      const { store, told, run } = await sceneOf(10, async () => accepted('id'), resultsAgeMs);
      const lease = { owner: 'dead', nowMs: NOW - 65_000, untilMs: NOW - 5000 };
      const jobs = [3, 4].map((number) => ({ deliveryKey: `key-${number}`, attempt: 1 }));
      await store.takeForSending('shop', 'p', jobs, lease);
      expect(await run()).toMatchObject({ left });
      expect(told).toHaveLength(left ? 8 : 10);
    }
  });
});
