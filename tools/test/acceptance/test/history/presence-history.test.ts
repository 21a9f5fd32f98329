import { expect, it } from 'vitest';
import { told } from '../harness/answers.js';
import { expectNotSubscribed } from '../harness/refusals.js';
import { onServerHttp } from '../harness/every-app.js';
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
        ['member_removed', 'disconnect', 'u', one.socketId],
      ]),
    );
  });

  it('does not join with what could not be stored', async () => {
    const channel = 'presence-unstorable';
    const client = await node.connect();
    const unstorable = [
      '"user_id":"u\\u0000"',
      '"user_id":"u","user_info":{"\\ud800":1}',
      '"user_id":"\\udc00"',
    ];
    for (const members of unstorable) {
      client.askSigned(channel, `{${members}}`);
      await expectNotSubscribed(client, channel, 4301, 400);
    }
    expect(await events(node, channel)).toEqual([]);
    const body = { name: 'a\u0000', channels: ['plain'], data: 'x' };
    const [status] = await told(node.api().request('POST', '/events', { body: JSON.stringify(body) }));
    expect(status).toBe(400);
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

  it('is told of any moment, also after more than a thousand changes', async () => {
    const channel = 'presence-busy';
    const snapshot = async (query: Record<string, string> = {}) => {
      const path = `/channels/${channel}/presence/history/snapshot`;
      const [status, body] = await told(node.api().request('GET', path, { query }));
      expect(status).toBe(200);
      const { members, ...rest } = body as { members: { user_id: string; last_event_serial: number }[] };
      return { members: members.map((one) => [one.user_id, one.last_event_serial]), ...rest };
    };
    const [busy, quiet] = [await node.connect(), await node.connect()];
    await quiet.join(channel, 'quiet');
    const data = JSON.stringify({ user_id: 'busy' });
    for (let times = 0; times < 510; times += 1) {
      busy.askSigned(channel, data);
      busy.unsubscribe(channel);
    }
    await busy.pending();
    await eventually(async () =>
      expect(await snapshot()).toMatchObject({
        members: [['quiet', 1]],
        events_replayed: 1021,
        snapshot_serial: 1021,
        continuity: { complete: true, retained_events: 1021 },
      }),
    );
    for (const at of [1, 2, 999, 1000, 1001, 1002, 1020]) {
      const found = await snapshot({ at_serial: String(at) });
      const isThere = at % 2 === 0;
      expect(found).toMatchObject({
        members: isThere
          ? [
              ['busy', at],
              ['quiet', 1],
            ]
          : [['quiet', 1]],
        member_count: isThere ? 2 : 1,
        events_replayed: at,
        snapshot_serial: at,
      });
    }
    const { snapshot_time_ms: at } = (await snapshot()) as unknown as { snapshot_time_ms: number };
    expect(await snapshot({ at_time_ms: String(at) })).toEqual(await snapshot());
  }, 60_000);
}

const title = 'who comes to a presence channel';
const tenants = [tenant('shop')];
onServerHttp(
  title,
  { tenants, env: { ...env, HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' } },
  keptMembers,
);
onEveryStore(title, { tenants, env }, keptMembers);
