import { expect, it, onTestFinished } from 'vitest';
import { told } from '../harness/answers.js';
import { eventually } from '../harness/eventually.js';
import { STORES } from '../harness/every-store.js';
import { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

interface Item {
  readonly event: string;
  readonly cause: string;
  readonly user_id: string;
}

it(
  'takes its members out of the presence history at its next start, once, and has the last events of its channels',
  { timeout: 90_000 },
  async () => {
    const store = await STORES.postgres();
    onTestFinished(() => store.release());
    const node = new Node('server', {
      tenants: [tenant('killed')],
      env: { HISTORY_ENABLED: 'true', PRESENCE_HISTORY_ENABLED: 'true', ...store.env },
    });
    const channel = 'presence-killed';
    const path = `/channels/${channel}/presence/history`;
    const snapshot = async () => {
      const [, body] = await told(node.api().request('GET', `${path}/snapshot`));
      return (body as { members: { user_id: string }[] }).members.map(({ user_id: user }) => user);
    };
    const removed = async () => {
      const query = { direction: 'oldest_first' };
      const [, body] = await told(node.api().request('GET', path, { query }));
      const { items } = body as { items: Item[] };
      return items
        .filter(({ event }) => event === 'member_removed')
        .map(({ cause, user_id: user }) => [user, cause]);
    };

    await node.start();
    // What it keeps of cache channels dies with it; their history does not.
    for (const text of ['old', 'kept']) await node.api().publish('cache-killed', 'news', text);
    for (const user of ['u1', 'u2']) await (await node.connect()).join(channel, user);
    await eventually(async () => expect(await snapshot()).toEqual(['u1', 'u2']));
    await node.process.kill('SIGKILL');

    await node.start();
    const late = await node.connect();
    await late.subscribe('cache-killed');
    expect(await late.next()).toMatchObject({ event: 'news', data: 'kept' });
    const cleared = [
      ['u1', 'orphan_cleanup'],
      ['u2', 'orphan_cleanup'],
    ];
    await eventually(async () => expect(await removed()).toEqual(cleared));
    expect(await snapshot()).toEqual([]);
    await (await node.connect()).join(channel, 'u2');
    await eventually(async () => expect(await snapshot()).toEqual(['u2']));
    await node.process.kill('SIGKILL');

    await node.start();
    await eventually(async () => expect(await removed()).toEqual([...cleared, ['u2', 'orphan_cleanup']]));
    expect(await snapshot()).toEqual([]);
    expect(await node.stop()).toBe(0);
  },
);
