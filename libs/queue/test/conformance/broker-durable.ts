import { describe, expect, it } from 'vitest';
import { QueueStopped } from '../../src/index.js';
import type { BrokerScene } from '../broker-scene.js';
import { collect, gate, until } from '../scene.js';
import { counted } from './settled.js';

const forEver = () => new Promise<void>(() => undefined);

export interface BrokerLeases {
  /** Leases whose end a test can wait for. */
  readonly lease_duration_ms: number;
  readonly lease_renew_interval_ms: number;
}

/** Behaviour when processes die and stop, over a broker that keeps the states of jobs. */
export function brokerDurable(
  name: string,
  openScene: () => Promise<BrokerScene>,
  leases: BrokerLeases,
): void {
  describe(`${name}: durable`, () => {
    it('gives the job of a process that is cut off to another, as the next attempt', async () => {
      const scene = await openScene();
      const victim = await scene.open(leases);
      let isBegun = false;
      victim.process('q', () => {
        isBegun = true;
        return forEver();
      });
      const id = await victim.enqueue('q', 'x');
      await until(() => isBegun);
      scene.cut(victim);
      const survivor = await counted(scene, leases);
      const jobs = collect(survivor.queue, 'q');
      await survivor.ended('ok', 1);
      expect(jobs).toMatchObject([{ id, data: 'x', attempt: 2 }]);
    });

    it('buries a job that its last attempt did not survive', async () => {
      const scene = await openScene();
      const options = { ...leases, max_attempts: 1 };
      const victim = await scene.open(options);
      let isBegun = false;
      victim.process('q', () => {
        isBegun = true;
        return forEver();
      });
      await victim.enqueue('q', 'killer');
      await until(() => isBegun);
      scene.cut(victim);
      const survivor = await counted(scene, options);
      const jobs = collect(survivor.queue, 'q');
      await survivor.ended('dead', 1);
      expect(jobs).toEqual([]);
      expect(await survivor.queue.listDeadLetters('q', 10)).toMatchObject([
        { data: 'killer', reason: 'attempts-exhausted', detail: 'lease-expired', attempts: 1 },
      ]);
    });

    it('tells a handler that its lease is lost, and ignores what it says then', async () => {
      const scene = await openScene();
      const slow = await counted(scene, leases);
      const end = gate();
      let [isBegun, isTold] = [false, false];
      let isRenewed: boolean | null = null;
      slow.queue.process('q', async (job) => {
        isBegun = true;
        job.signal.addEventListener('abort', () => (isTold = true));
        await end.opened;
        isRenewed = await job.renew();
      });
      await slow.queue.enqueue('q', 'x');
      await until(() => isBegun);
      scene.cut(slow.queue);
      await until(() => isTold);
      const other = await counted(scene, leases);
      const later = gate();
      let taken = 0;
      other.queue.process('q', async () => {
        taken++;
        await later.opened;
      });
      await until(() => taken === 1);
      end.open();
      await until(() => isRenewed !== null);
      expect(isRenewed).toBe(false);
      later.open();
      await other.ended('ok', 1);
      expect(slow.outcomes).toEqual([]);
      expect(taken).toBe(1);
    });

    it('keeps the lease of a handler that takes long', async () => {
      const scene = await openScene();
      const [slow, other] = [await counted(scene, leases), await counted(scene, leases)];
      const end = gate();
      const attempts: number[] = [];
      for (const { queue } of [slow, other]) {
        queue.process('q', async ({ attempt, signal }) => {
          attempts.push(attempt);
          await end.opened;
          if (signal.aborted) attempts.push(-1);
        });
      }
      await slow.queue.enqueue('q', 'long');
      await until(() => attempts.length === 1);
      // Measures that nothing happens at the time a lease would have expired.
      await new Promise((resolve) => setTimeout(resolve, leases.lease_duration_ms * 1.5));
      end.open();
      await until(() => slow.outcomes.length + other.outcomes.length === 1);
      expect(attempts).toEqual([1]);
    });

    it('gives back at the stop what was not begun, as if it had never been handed out', async () => {
      const scene = await openScene();
      const first = await counted(scene, { shutdown_timeout_ms: 20_000 });
      const end = gate();
      let begun = 0;
      first.queue.process(
        'q',
        async () => {
          begun++;
          await end.opened;
        },
        { concurrency: 1, prefetch: 10 },
      );
      await first.queue.enqueueBatch(
        'q',
        ['a', 'b', 'c', 'd'].map((data) => ({ data, partitionKey: data })),
      );
      await until(() => begun === 1);
      const drained = first.queue.drain();
      const second = await counted(scene);
      const jobs = collect(second.queue, 'q');
      await second.ended('ok', 3);
      end.open();
      await drained;
      expect(first.outcomes).toEqual(['ok']);
      expect(begun).toBe(1);
      expect(new Set(jobs.map(({ data }) => data)).size).toBe(3);
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    });

    it('gives back at the stop what does not end, as another attempt, without waiting for its lease', async () => {
      const scene = await openScene();
      const options = { shutdown_timeout_ms: 100 };
      const first = await scene.open(options);
      let isBegun = false;
      let isTold = false;
      first.process('q', ({ signal }) => {
        isBegun = true;
        signal.addEventListener('abort', () => (isTold = true));
        return forEver();
      });
      await first.enqueue('q', 'x');
      await until(() => isBegun);
      await first.close();
      expect(isTold).toBe(true);
      const second = await counted(scene, options);
      const jobs = collect(second.queue, 'q');
      await second.ended('ok', 1);
      expect(jobs).toMatchObject([{ data: 'x', attempt: 2 }]);
    });

    it('pulls nothing more once it drains, still produces, and takes nothing once it is closed', async () => {
      const scene = await openScene();
      const queue = await scene.open();
      const jobs = collect(queue, 'q');
      await queue.drain();
      await queue.enqueue('q', 'for somebody else');
      const others = collect(await scene.open(), 'q');
      await until(() => others.length === 1);
      expect(jobs).toEqual([]);
      await queue.close();
      const calls = [
        queue.enqueue('q', 'x'),
        queue.stats('q'),
        queue.health(),
        queue.listDeadLetters('q', 1),
      ];
      for (const call of calls) await expect(call).rejects.toThrow(new QueueStopped());
    });

    it('shows what waits and what is under way, where it can', async () => {
      const { queue, ended } = await counted(await openScene());
      if (!queue.capabilities.observableLag) return;
      await queue.enqueueBatch('q', [{ data: 'a' }, { data: 'b' }, { data: 'c' }]);
      await until(async () => (await queue.stats('q')).ready === 3);
      const end = gate();
      queue.process('q', () => end.opened, { concurrency: 1, prefetch: 1 });
      await until(async () => (await queue.stats('q')).ready === 2);
      expect(await queue.stats('q')).toMatchObject({ completed: null, oldestActiveAgeMs: null });
      end.open();
      await ended('ok', 3);
      await until(async () => (await queue.stats('q')).ready === 0);
      expect(await queue.stats('q')).toMatchObject({ oldestReadyAgeMs: null });
      expect(await queue.listEvents('q', 10)).toEqual([]);
    });
  });
}
