import type { Node } from '../nodes/node.js';
import { call } from '../tenant.js';
import { until } from '../wait.js';

/** What every gateway should say about live sockets. */
export interface Expected {
  /** Connections by channel. */
  readonly channels: ReadonlyMap<string, number>;
  readonly room: string;
  /** Sorted. */
  readonly users: readonly string[];
}

const EXACT_WITHIN_MS = 10_000;

/** Asks every gateway until its counts are exact; resolves with how they differ when time runs out. */
export async function checkCounts(gateways: readonly Node[], expected: Expected): Promise<string[]> {
  let wrong: string[] = [];
  await until(async () => {
    wrong = (await Promise.all(gateways.map((gateway) => look(gateway, expected)))).flat();
    return wrong.length === 0;
  }, EXACT_WITHIN_MS);
  return wrong;
}

async function look(gateway: Node, { channels, room, users }: Expected): Promise<string[]> {
  const wrong: string[] = [];
  for (const [channel, count] of channels) {
    const said = await ask(gateway, `/channels/${channel}`, { info: 'subscription_count' });
    const number = (said as { subscription_count?: number } | null)?.subscription_count;
    if (number !== count) wrong.push(`${gateway.name} counts ${number} on ${channel}, there are ${count}`);
  }
  const said = await ask(gateway, `/channels/${room}/users`, {});
  const ids = (said as { users?: { id: string }[] } | null)?.users?.map(({ id }) => id).sort() ?? [];
  if (ids.join() !== users.join())
    wrong.push(`${gateway.name} names ${ids.join()}, there are ${users.join()}`);
  return wrong;
}

async function ask(gateway: Node, path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
  const answer = await call(gateway.port, 'GET', path, { query }).catch(() => null);
  return answer?.status === 200 ? JSON.parse(answer.body) : null;
}
