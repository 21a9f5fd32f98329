import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PushStore } from '../src/index.js';
import { admission, claim, NOW } from './samples.js';

const ROUNDS = 5;
const LIMIT_MS = 120_000;

/** An admission with these idempotency keys. */
export const keysOf = (publishId: string, keys: readonly string[]) => ({
  ...admission(publishId),
  idempotency: keys.map((key) => ({ key, publishId, bodyHash: null, expiresMs: NOW + 1000 })),
});

/** Promises of stores of several processes over the same rows. */
export function processesConformance(
  name: string,
  open: () => Promise<{ readonly stores: readonly PushStore[]; readonly close: () => Promise<void> }>,
): void {
  describe(`${name}: what several processes promise together`, () => {
    let stores: readonly PushStore[];
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ stores, close } = await open());
    }, LIMIT_MS);
    afterAll(() => close());

    it(
      'accept one publish per idempotency key, whatever keys they share',
      async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const of = (id: string, keys: readonly string[]) =>
            keysOf(
              `${id} of ${round}`,
              keys.map((key) => `${key} of ${round}`),
            );
          const wanted = [
            of('p1', ['a', 'b']),
            of('p2', ['b', 'c']),
            of('p3', ['c', 'a']),
            of('p4', ['b']),
            of('p5', ['c', 'b', 'a']),
          ];
          const answers = await Promise.all(
            wanted.map((one, index) => (stores[index % stores.length] as PushStore).admit(one)),
          );
          const accepted = wanted.filter((_, index) => answers[index] === null);
          const used = accepted.flatMap(({ idempotency }) => idempotency.map(({ key }) => key));
          expect(accepted.length).toBeGreaterThan(0);
          expect(new Set(used).size).toBe(used.length);
          for (const [index, answer] of answers.entries()) {
            if (answer === null) continue;
            expect(await stores[0]?.publish('shop', answer.publishId)).toEqual(answer);
            expect(await stores[0]?.publish('shop', wanted[index]?.publish.publishId ?? '')).toBeNull();
          }
        }
      },
      LIMIT_MS,
    );

    it(
      'take each of 1000 deliveries once, and count each result once',
      async () => {
        const [first] = stores as [PushStore, PushStore, PushStore];
        await first.admit(admission('big'));
        const keys = Array.from({ length: 1000 }, (_, index) => `k${String(index).padStart(4, '0')}`);
        const claims = keys.map((key) => claim('big', key));
        const planned = await Promise.all(stores.map((store) => store.plan('shop', 'big', claims)));
        for (const some of planned) expect(some.size).toBe(1000);
        expect(await first.countClaims('shop', 'big')).toBe(1000);
        const jobs = keys.map((deliveryKey) => ({ deliveryKey, attempt: 1 }));
        const lease = { nowMs: NOW, untilMs: NOW + 60_000 };
        const taken = await Promise.all(
          stores.map((store, index) =>
            store.takeForSending('shop', 'big', jobs, { ...lease, owner: `o${index}` }),
          ),
        );
        expect(taken.flatMap((some) => [...some]).toSorted()).toEqual(keys);
        const results = Array.from({ length: Math.ceil(keys.length / first.mostSteps) }, (_, index) =>
          keys.slice(index * first.mostSteps, (index + 1) * first.mostSteps),
        );
        const apply = async (store: PushStore): Promise<void> => {
          for (const some of results) {
            await store.changePublish(
              'shop',
              'big',
              some.map((deliveryKey) => ({
                deliveryKey,
                attempt: 1,
                from: 'sending',
                to: { state: 'done', outcome: 'accepted' },
              })),
              (there, { size }) => ({
                publish: {
                  ...there,
                  counters: { ...there.counters, succeeded: there.counters.succeeded + size },
                },
              }),
            );
          }
        };
        await Promise.all(stores.map(apply));
        expect((await first.publish('shop', 'big'))?.counters.succeeded).toBe(1000);
        expect(await first.openClaims('shop', 'big', null, 10)).toEqual([]);
      },
      LIMIT_MS,
    );
  });
}
