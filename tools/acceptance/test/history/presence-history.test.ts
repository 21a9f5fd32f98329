import { expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { onEveryHttpApp } from '../harness/every-app.js';
import { onEveryStore } from '../harness/every-store.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const env = {
  PRESENCE_HISTORY_ENABLED: 'true',
  PRESENCE_UNGRACEFUL_TIMEOUT_SECONDS: '0',
};

interface Item {
  readonly event: string;
  readonly cause: string;
  readonly user_id: string;
  readonly connection_id: string | null;
}

async function events(node: Node, channel: string): Promise<(string | null)[][]> {
  const query = { direction: 'oldest_first' };
  const path = `/channels/${channel}/presence/history`;
  const [status, body] = await told(node.api().request('GET', path, { query }));
  expect(status).toBe(200);
  const { items } = body as { items: Item[] };
  return items.map((item) => [item.event, item.cause, item.user_id, item.connection_id]);
}

/** What is promised wherever it is kept. */
function keptMembers(node: Node): void {
  it('is in its history once, and so is its going, however many connections it has', async () => {
    const channel = 'presence-kept';
    const [one, two] = [await node.connect(), await node.connect()];
    await one.join(channel, 'u');
    await two.join(channel, 'u');
    await one.close();
    await two.close();
    await eventually(async () =>
      expect(await events(node, channel)).toEqual([
        ['member_added', 'join', 'u', one.socketId],
        ['member_removed', 'disconnect', 'u', null],
      ]),
    );
  });

  it('is there in a snapshot as long as it is there', async () => {
    const channel = 'presence-seen';
    const snapshot = async () => {
      const path = `/channels/${channel}/presence/history/snapshot`;
      const [, body] = await told(node.api().request('GET', path));
      return (body as { members: { user_id: string }[] }).members.map(({ user_id: user }) => user);
    };
    const clients = [await node.connect(), await node.connect()];
    for (const [at, client] of clients.entries()) await client.join(channel, `u${at}`);
    await eventually(async () => expect(await snapshot()).toEqual(['u0', 'u1']));
    await clients[0]?.close();
    await eventually(async () => expect(await snapshot()).toEqual(['u1']));
  });
}

const title = 'who comes to a presence channel';
const tenants = [tenant('shop')];
onEveryHttpApp(
  title,
  { tenants, env: { ...env, HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' } },
  keptMembers,
);
onEveryStore(title, { tenants, env }, keptMembers);
