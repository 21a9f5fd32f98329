import type * as Ably from 'ably';
import { afterEach, describe, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { attach, RawAblies } from './raw-ably.js';

const kept = openTenant('kept', { history: { enabled: true } });
const fleeting = openTenant('fleeting', { history: { enabled: false } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const RESUMED = 4;

onServer(
  'clients of Ably come back without an echo',
  { tenants: [kept, fleeting], config: { compat: { enabled: true } }, env },
  (node) => {
    describe.each([
      ['with a history', kept],
      ['without a history', fleeting],
    ])('to channels %s', (_title, tenant) => {
      const clients = new AblyClients(node, tenant);
      const raw = new RawAblies(node, tenant, 'json');
      afterEach(() => [clients, raw].forEach((all) => all.close()));

      it('without what they said themselves, if they want none of it (17)', async () => {
        const { client, id, connectionKey } = await raw.connect('&echo=false');
        const { channelSerial } = await attach(client, 'own');
        const messages = [{ data: 'quiet' }, { data: 'loud', extras: { echo: true } }];
        client.send({ action: 15, channel: 'own', msgSerial: 0, messages });
        client.send({
          action: 15,
          channel: 'own',
          msgSerial: 1,
          messages: [{ id: 'mine', data: 'named' }],
        });
        for (const _ of ['answers', 'of both']) await client.until(1);
        client.close();
        const others = clients.rest().channels.get('own');
        await others.publish('n', 'of another');
        await others.publish({ id: `${id}:7:0`, data: 'of nobody' });
        const { client: back } = await raw.connect(`&echo=false&resume=${connectionKey}`);
        expect(Number((await attach(back, 'own', { channelSerial }))['flags']) & RESUMED).toBe(RESUMED);
        const told = (await back.rest()).flatMap(
          (one) => one['messages'] as { data: string; timestamp: number; connectionId?: string }[],
        );
        expect(told.map(({ data, connectionId }) => [data, connectionId])).toEqual([
          ['loud', id],
          ['of another', undefined],
          ['of nobody', undefined],
        ]);
        for (const { timestamp } of told) expect(Number.isInteger(timestamp)).toBe(true);
      });

      it.each([
        ['receives', '', ['for it', 'of another']],
        ['does not receive', '&echo=false', ['of another']],
      ])(
        '%s a REST publish with its connectionKey when connected with "%s"',
        async (_verb, query, expected) => {
          const { client, connectionKey } = await raw.connect(query);
          await attach(client, 'own');
          const others = clients.rest().channels.get('own');
          await others.publish({ data: 'for it', connectionKey } as Ably.Message);
          await others.publish('n', 'of another');
          const told: unknown[] = [];
          while (told.at(-1) !== 'of another') {
            const { messages } = await client.until(15);
            told.push(...(messages as { data: string }[]).map(({ data }) => data));
          }
          expect(told).toEqual(expected);
        },
      );
    });
  },
);
