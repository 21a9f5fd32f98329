import { expect, it } from 'vitest';
import { onCluster } from '../harness/cluster.js';
import { EventReader, frameOf } from '../harness/event-reader.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const setting = {
  tenants: () => [shop],
  env: { CONNECTION_RECOVERY_ENABLED: 'true', CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '5000' },
} as const;
const MESSAGES = 600;

/** A browser's EventSource as the standard says it: comes back with its last id, at whichever gateway answers. */
class Following {
  readonly seen: number[] = [];
  failed = 0;
  #id = '';
  #isOver = false;

  constructor(
    private readonly channel: string,
    private readonly ports: () => readonly number[],
    private readonly first: number,
  ) {}

  stop(): void {
    this.#isOver = true;
  }

  async run(subscribed: () => void): Promise<void> {
    for (let attempt = this.first; !this.#isOver; attempt += 1) {
      const ports = this.ports();
      const port = ports[attempt % ports.length] ?? 0;
      try {
        const headers: Record<string, string> = this.#id === '' ? {} : { 'last-event-id': this.#id };
        const path = `/app/${shop.key}/events?channels=${this.channel}`;
        const reader = await EventReader.open({ port, path, headers });
        if (reader.status !== 200) throw new Error(`HTTP ${reader.status}`);
        await this.#read(reader, subscribed);
      } catch {
        await new Promise((later) => setTimeout(later, 100));
      }
    }
  }

  async #read(reader: EventReader, subscribed: () => void): Promise<void> {
    for (;;) {
      const block = await reader.next();
      if (block.id !== undefined) this.#id = block.id;
      if (block.event === 'subscription_succeeded') subscribed();
      if (block.event === 'resume_failed') this.failed += 1;
      if (block.event !== 'message') continue;
      const data = String(frameOf(block).data);
      if (data === 'last') {
        this.#isOver = true;
        return reader.leave();
      }
      this.seen.push(Number(data));
    }
  }
}

onCluster('event streams of two gateways', ['nats'], setting, (cluster) => {
  /** Publishes numbers at 200 a second, with something done in their midst. */
  async function publish(channel: string, midst: () => Promise<unknown>): Promise<void> {
    const underWay: Promise<unknown>[] = [];
    for (let n = 1; n <= MESSAGES; n += 1) {
      underWay.push(cluster.api().publish(channel, 'news', String(n)));
      if (n === MESSAGES / 3) underWay.push(midst());
      await new Promise((later) => setTimeout(later, 5));
    }
    await Promise.all(underWay);
    await cluster.api().publish(channel, 'news', 'last');
  }

  const ports = (): number[] => cluster.gateways.map(({ port }) => port);

  async function follow(
    channel: string,
    count: number,
  ): Promise<{ all: Following[]; over: Promise<unknown> }> {
    const all = Array.from({ length: count }, (_, n) => new Following(channel, ports, n));
    const runs: Promise<void>[] = [];
    await Promise.all(
      all.map((one) => new Promise<void>((subscribed) => void runs.push(one.run(subscribed)))),
    );
    return { all, over: Promise.all(runs) };
  }

  const complete = Array.from({ length: MESSAGES }, (_, n) => n + 1);

  it('are complete when one gateway stops in the midst of messages', async () => {
    const { all, over } = await follow('stopped', 6);
    await publish('stopped', () => cluster.gateway(1).stop());
    await over;
    for (const { seen, failed } of all)
      expect([seen.toSorted((a, b) => a - b), failed]).toEqual([complete, 0]);
    await cluster.add('gateway');
  });

  it('are complete or told when one gateway is killed in the midst of messages', async () => {
    const { all, over } = await follow('killed', 6);
    await publish('killed', () => cluster.gateway(1).process.kill());
    await over;
    for (const { seen, failed } of all) {
      expect(new Set(seen).size).toBe(seen.length);
      if (failed === 0) expect(seen.toSorted((a, b) => a - b)).toEqual(complete);
    }
    await eventually(() => expect(cluster.gateway(0).process.isRunning).toBe(true));
  });
});
