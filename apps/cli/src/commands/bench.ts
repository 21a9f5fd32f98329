import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Carillon } from '@carillon/client';
import { signedApi } from '../api/signed.js';
import { Deliveries } from '../bench/deliveries.js';
import { type BenchPlan, planOf, readPayload } from '../bench/plan.js';
import { publishAtRate } from '../bench/publisher.js';
import { confirm } from '../output/confirm.js';
import { Progress } from '../output/progress.js';
import { EXIT } from '../program/exit-codes.js';
import type { Invocation } from '../program/invocation.js';
import { isLoopback } from '../settings/level.js';
import { socketClient } from '../sockets/client.js';
import { connectionFailure } from '../sockets/failure.js';

const OPENED_TOGETHER = 50;
/** After the last publish: how long deliveries may stay away. */
const QUIET_MS = 2000;
const MAX_WAIT_MS = 10_000;

export async function run(invocation: Invocation): Promise<number> {
  const { values, terminal, signal } = invocation;
  const plan = planOf(values);
  const { url } = await invocation.connection();
  if (!isLoopback(url)) await confirm(invocation, 'bench', new URL(url).host);
  const run_ = randomUUID().slice(0, 8);
  const names = Array.from({ length: plan.channels }, (_, index) => `bench-${run_}-${index}`);
  const deliveries = new Deliveries(
    plan.connections,
    Math.ceil((plan.rate * plan.durationMs) / 1000 / plan.channels) + 1,
  );
  const progress = new Progress(terminal);
  const clients: Carillon[] = [];
  try {
    await open(invocation, plan, names, deliveries, clients, progress);
    const api = await signedApi(invocation);
    const published = await publishAtRate(api, plan, names, signal, (fraction, total) =>
      progress.update(fraction, `${total} published, ${deliveries.delivered} delivered`),
    );
    const expected = published.counts.reduce(
      (sum, count, channel) => sum + count * subscribersOf(plan, channel),
      0,
    );
    await settled(deliveries, expected, signal);
    const lost = Math.max(0, expected - deliveries.delivered);
    const { latencies } = deliveries;
    const figures = {
      connections: clients.length,
      published: published.total,
      expected,
      delivered: deliveries.delivered,
      lost,
      duplicated: deliveries.duplicated,
      latency_ms: {
        p50: latencies.percentile(0.5),
        p95: latencies.percentile(0.95),
        p99: latencies.percentile(0.99),
        max: latencies.max,
      },
      publish_per_second: Math.round((published.total / published.durationMs) * 100_000) / 100,
      generator_saturated: published.isSaturated,
    };
    progress.end();
    const { latency_ms: latency, ...others } = figures;
    terminal.result(figures, () =>
      terminal.table(
        ['figure', 'value'],
        [
          ...Object.entries(others),
          ...Object.entries(latency).map(([name, value]) => [`latency ${name} ms`, value] as const),
        ],
        '',
      ),
    );
    if (signal.aborted) throw signal.reason;
    return lost > 0 ? EXIT.failed : EXIT.done;
  } finally {
    progress.end();
    for (const client of clients) client.disconnect();
  }
}

const subscribersOf = ({ connections, channels }: BenchPlan, channel: number): number =>
  Math.floor(connections / channels) + (channel < connections % channels ? 1 : 0);

/** Opens the connections in groups and waits until each is subscribed. */
async function open(
  invocation: Invocation,
  plan: BenchPlan,
  names: readonly string[],
  deliveries: Deliveries,
  clients: Carillon[],
  progress: Progress,
): Promise<void> {
  const { url } = await invocation.connection();
  for (let from = 0; from < plan.connections; from += OPENED_TOGETHER) {
    const group = Array.from(
      { length: Math.min(OPENED_TOGETHER, plan.connections - from) },
      (_, index) => from + index,
    );
    await Promise.all(
      group.map(async (index) => {
        let failed: { readonly error: Error; readonly status: number | null } | null = null;
        const client = await socketClient(invocation, { failed: (failure) => (failed = failure) });
        clients.push(client);
        const channel = client.subscribe(names[index % names.length] ?? '');
        channel.bindAll(({ raw }) => {
          const payload = readPayload(raw);
          if (payload !== null) deliveries.receive(index, payload.index, payload.sentMs, performance.now());
        });
        const stopped = new Promise<never>((_, fail) => {
          client.on('state', ({ current, reason }) => {
            if ((current === 'waiting' || current === 'failed') && channel.state !== 'subscribed')
              fail(
                connectionFailure(url, { code: reason?.code ?? 0, message: reason?.message ?? '' }, failed),
              );
          });
        });
        // A later loss rejects it when nothing waits for it any more.
        stopped.catch(() => undefined);
        client.connect();
        await Promise.race([
          stopped,
          channel.whenSubscribed({ timeoutMs: MAX_WAIT_MS, signal: invocation.signal }),
        ]);
      }),
    );
    progress.update(0, `${clients.length} connections`);
  }
}

async function settled(deliveries: Deliveries, expected: number, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  while (deliveries.delivered < expected && !signal.aborted) {
    const nowMs = performance.now();
    const quietMs = nowMs - Math.max(deliveries.lastMs, startedMs);
    if (quietMs > QUIET_MS || nowMs - startedMs > MAX_WAIT_MS) return;
    await sleep(20);
  }
}
