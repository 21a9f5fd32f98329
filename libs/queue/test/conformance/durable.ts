import { describe, expect, it } from 'vitest';
import { collect, gate, until, type Scene } from '../scene.js';

/** Leases whose end a test can wait for. */
const BRIEF = { lease_duration_ms: 600 };

/** Behaviour of jobs that outlive their process. */
export function durableConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: durable`, () => {
    it('hands each job to one of several processes', async () => {
      const scene = await openScene();
      const queues = [await scene.open(), await scene.open(), await scene.open()];
      const seen: string[] = [];
      for (const queue of queues) {
        queue.process('q', async ({ data }) => {
          seen.push(data);
        });
      }
      const data = Array.from({ length: 500 }, (_, n) => `${n}`);
      const [producer = queues[0]] = queues;
      await producer?.enqueueBatch(
        'q',
        data.map((one) => ({ data: one })),
      );
      await until(async () => (await producer?.stats('q'))?.completed === 500);
      expect(seen.sort()).toEqual(data.sort());
    });

    it('gives the job of a process that died to another, as the next attempt', async () => {
      const scene = await openScene();
      const victim = await scene.open(BRIEF);
      let begun = false;
      victim.process('q', () => {
        begun = true;
        return new Promise(() => undefined);
      });
      await victim.enqueue('q', 'x', { jobId: 'one' });
      await until(() => begun);
      scene.cut?.(victim);
      const outcomes: string[] = [];
      const survivor = await scene.open({
        onSettled: (_, outcome, count) => outcomes.push(`${outcome} ${count}`),
      });
      const jobs = collect(survivor, 'q');
      await until(() => jobs.length === 1);
      expect(jobs).toMatchObject([{ id: 'one', data: 'x', attempt: 2 }]);
      await until(async () => (await survivor.stats('q')).completed === 1);
      expect(outcomes).toEqual(['retry 1', 'ok 1']);
      const events = (await survivor.listEvents('q', 100)).map(({ event }) => event);
      expect(events).toEqual(['enqueued', 'active', 'stalled', 'retrying', 'waiting', 'active', 'completed']);
    });

    it('buries a job that its last attempt did not survive', async () => {
      const scene = await openScene();
      const victim = await scene.open({ ...BRIEF, max_attempts: 1 });
      let begun = false;
      victim.process('q', () => {
        begun = true;
        return new Promise(() => undefined);
      });
      await victim.enqueue('q', 'killer');
      await until(() => begun);
      scene.cut?.(victim);
      const outcomes: string[] = [];
      const survivor = await scene.open({
        max_attempts: 1,
        onSettled: (_, outcome, count) => outcomes.push(`${outcome} ${count}`),
      });
      const jobs = collect(survivor, 'q');
      await until(async () => (await survivor.stats('q')).deadLetter === 1);
      expect(jobs).toEqual([]);
      expect(outcomes).toEqual(['dead 1']);
      expect(await survivor.listDeadLetters('q', 10)).toMatchObject([
        { data: 'killer', reason: 'attempts-exhausted', detail: 'lease-expired', attempts: 1 },
      ]);
    });

    it('tells a handler that its lease is lost, and ignores what it says then', async () => {
      const scene = await openScene();
      const slow = await scene.open(BRIEF);
      const end = gate();
      let told = false;
      let renewed: boolean | null = null;
      slow.process('q', async (job) => {
        job.signal.addEventListener('abort', () => {
          told = true;
        });
        await end.opened;
        renewed = await job.renew();
      });
      await slow.enqueue('q', 'x');
      await until(async () => (await slow.stats('q')).active === 1);
      scene.cut?.(slow);
      await until(() => told);
      const other = await scene.open();
      const later = gate();
      let taken = 0;
      other.process('q', async () => {
        taken++;
        await later.opened;
      });
      await until(() => taken === 1);
      end.open();
      await until(() => renewed !== null);
      expect(renewed).toBe(false);
      expect(await other.stats('q')).toMatchObject({ active: 1, completed: 0 });
      later.open();
      await until(async () => (await other.stats('q')).completed === 1);
    });

    it('keeps the lease of a handler that takes long', async () => {
      const scene = await openScene();
      const settings = { lease_duration_ms: 1500, lease_renew_interval_ms: 50 };
      const [slow, other] = [await scene.open(settings), await scene.open(settings)];
      const end = gate();
      const attempts: number[] = [];
      const handler = async ({ attempt }: { attempt: number }) => {
        attempts.push(attempt);
        await end.opened;
      };
      slow.process('q', handler);
      other.process('q', handler);
      await slow.enqueue('q', 'long');
      await until(() => attempts.length === 1);
      // Others look for abandoned jobs all the while.
      for (let round = 0; round < 40; round++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        await other.enqueue('idle', 'x', { jobId: 'x' });
      }
      end.open();
      await until(async () => (await slow.stats('q')).completed === 1);
      expect(attempts).toEqual([1]);
    });

    it('gives back at the stop what was not begun, in order and as if it had never been handed out', async () => {
      const scene = await openScene();
      const first = await scene.open();
      const end = gate();
      let begun = 0;
      first.process(
        'q',
        async () => {
          begun++;
          await end.opened;
        },
        { concurrency: 1, prefetch: 10 },
      );
      await first.enqueueBatch(
        'q',
        ['a', 'b', 'c', 'd'].map((data) => ({ data })),
      );
      await until(async () => begun === 1 && (await first.stats('q')).ready === 0);
      const drained = first.drain();
      const second = await scene.open();
      const jobs = collect(second, 'q');
      await until(() => jobs.length === 3);
      end.open();
      await drained;
      expect(jobs.map(({ data, attempt }) => `${data} ${attempt}`)).toEqual(['b 1', 'c 1', 'd 1']);
      expect(begun).toBe(1);
      await until(async () => (await second.stats('q')).completed === 4);
    });

    it('gives back at the stop what does not end, without waiting for its lease', async () => {
      const scene = await openScene();
      const settings = { shutdown_timeout_ms: 100, lease_duration_ms: 600_000 };
      const first = await scene.open(settings);
      first.process('q', () => new Promise(() => undefined));
      await first.enqueue('q', 'x');
      await until(async () => (await first.stats('q')).active === 1);
      await first.close();
      const second = await scene.open(settings);
      const jobs = collect(second, 'q');
      await until(() => jobs.length === 1);
      expect(jobs).toMatchObject([{ data: 'x', attempt: 2 }]);
    });

    it('pulls nothing more once it drains, but still produces', async () => {
      const scene = await openScene();
      const queue = await scene.open();
      const jobs = collect(queue, 'q');
      await queue.drain();
      await queue.enqueue('q', 'for somebody else');
      const other = await scene.open();
      const others = collect(other, 'q');
      await until(() => others.length === 1);
      expect(jobs).toEqual([]);
    });

    it('keeps everything over a stop', async () => {
      const scene = await openScene();
      const first = await scene.open();
      await first.enqueue('q', 'ready', { jobId: 'ready' });
      await first.enqueue('q', 'later', { delayMs: 1500 });
      await first.close();
      const second = await scene.open();
      expect(await second.stats('q')).toMatchObject({ ready: 1, delayed: 1 });
      expect(await second.enqueue('q', 'ready', { jobId: 'ready' })).toBe('ready');
      const jobs = collect(second, 'q');
      await until(async () => (await second.stats('q')).completed === 2);
      expect(jobs.map(({ data }) => data)).toEqual(['ready', 'later']);
    });
  });
}
