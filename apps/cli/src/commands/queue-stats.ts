import { managementApi } from '../api/management.js';
import type { Invocation } from '../program/invocation.js';

interface Queues {
  readonly items: readonly {
    readonly queue: string;
    readonly driver: string;
    readonly ready: number | null;
    readonly active: number | null;
    readonly delayed: number | null;
    readonly dead: number | null;
  }[];
}

export async function run(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const api = await managementApi(invocation);
  const { body } = await api.request<Queues>({ method: 'GET', path: '/queues' });
  terminal.result(body, () =>
    terminal.table(
      ['queue', 'driver', 'ready', 'active', 'delayed', 'dead'],
      body.items.map((one) => [one.queue, one.driver, one.ready, one.active, one.delayed, one.dead]),
      'no queues',
    ),
  );
}
