import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, heard } from './ably.js';
import { RawAblies } from './raw-ably.js';

const stored = openTenant('stored', { history: { enabled: true } });
const live = openTenant('live', { history: { enabled: false } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const compat = { enabled: true };

/** Published by the native API, and `data` and `encoding` as Ably clients get them. */
const CASES: readonly (readonly [published: unknown, data: string, encoding: string | undefined])[] = [
  [{ n: 1.5, list: [] }, '{"n":1.5,"list":[]}', 'json'],
  [[1, 2], '[1,2]', 'json'],
  [7, '7', 'json'],
  ['text', 'text', undefined],
  ['{"n":1}', '{"n":1}', undefined],
];

for (const [title, more] of [
  ['plain', {}],
  ['versioned', { VERSIONED_MESSAGES_ENABLED: 'true' }],
] as const)
  onServer(
    `native data on ${title} channels`,
    { tenants: [stored, live], config: { compat }, env: { ...env, ...more } },
    (node) => {
      const clients = new AblyClients(node, stored);
      const raw = new RawAblies(node, stored, 'json');
      const others = new AblyClients(node, live);
      afterEach(() => [clients, raw, others].forEach((all) => all.close()));

      it('has encoding json live, on rewind and in history when it was published as JSON (case 27)', async () => {
        const { client } = await raw.connect();
        client.send({ action: 10, channel: 'native' });
        await client.until(11);
        for (const [data] of CASES) await node.api(stored).publish('native', 'e', data);
        const told: unknown[] = [];
        for (const _ of CASES) told.push(...messagesOf(await client.until(15)));
        expect(told).toEqual(CASES.map(([, data, encoding]) => [data, encoding]));

        const { client: late } = await raw.connect();
        late.send({ action: 10, channel: 'native', params: { rewind: '9' } });
        const again: unknown[] = [];
        while (again.length < CASES.length) again.push(...messagesOf(await late.until(15)));
        expect(again).toEqual(CASES.map(([, data, encoding]) => [data, encoding]));

        const page = await clients.rest().channels.get('native').history({ direction: 'forwards' });
        const decoded = CASES.map(([published]) => published);
        expect(page.items.map(({ data }) => data as unknown)).toEqual(decoded);
      });

      it('is an object live when the channel has no history', async () => {
        const inbox = await heard(others.connect().channels.get('native'));
        for (const [data] of CASES) await node.api(live).publish('native', 'e', data);
        for (const [data] of CASES) expect((await inbox.take()).data).toEqual(data);
      });
    },
  );

function messagesOf({ messages }: Readonly<Record<string, unknown>>): unknown[] {
  return (messages as { data: unknown; encoding?: string }[]).map(({ data, encoding }) => [data, encoding]);
}
