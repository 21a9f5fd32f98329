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

/**
 * Long, because a gateway waits 200 ms for the counts of others: while the machine or the broker is slower, its answers
 * are partial.
 */
const EXACT_WITHIN_MS = 60_000;

/** Resolves with how a count differs from the expected one; null if it does not. */
type Check = () => Promise<string | null>;

/**
 * Repeats each request to each gateway until its answer is exact; resolves with how the remaining ones differ when time
 * runs out. Nothing changes meanwhile, so an answer that was exact once is not requested again.
 */
export async function checkCounts(gateways: readonly Node[], expected: Expected): Promise<string[]> {
  let open = gateways.flatMap((gateway) => checksOf(gateway, expected));
  let wrong: string[] = [];
  await until(async () => {
    const left: Check[] = [];
    wrong = [];
    // One after another: requests of all gateways would slow each other down.
    for (const check of open) {
      const difference = await check();
      if (difference === null) continue;
      left.push(check);
      wrong.push(difference);
    }
    open = left;
    return open.length === 0;
  }, EXACT_WITHIN_MS);
  return wrong;
}

function checksOf(gateway: Node, { channels, room, users }: Expected): Check[] {
  const counts = [...channels].map(([channel, count]): Check => async () => {
    const said = await ask(gateway, `/channels/${channel}`, { info: 'subscription_count' });
    const number = (said as { subscription_count?: number } | null)?.subscription_count;
    return number === count ? null : `${gateway.name} counts ${number} on ${channel}, there are ${count}`;
  });
  const members: Check = async () => {
    const said = await ask(gateway, `/channels/${room}/users`, {});
    const ids = (said as { users?: { id: string }[] } | null)?.users?.map(({ id }) => id).sort() ?? [];
    return ids.join() === users.join()
      ? null
      : `${gateway.name} names ${ids.join()}, there are ${users.join()}`;
  };
  return [...counts, members];
}

async function ask(gateway: Node, path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
  const answer = await call(gateway.port, 'GET', path, { query }).catch(() => null);
  return answer?.status === 200 ? JSON.parse(answer.body) : null;
}
