import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { Node } from '../harness/node.js';
import { openTenant, type Tenant } from '../harness/tenant.js';
import { type HookEvent, Receiver } from '../webhooks/receiver.js';
import { AblyClients } from './ably.js';

const event_types = [
  'channel_occupied',
  'client_event',
  'member_added',
  'member_updated',
  'member_removed',
  'message_version_created',
  'annotation_created',
  'ai_run_started',
  'ai_cancel_requested',
];
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  VERSIONED_MESSAGES_ENABLED: 'true',
  ANNOTATIONS_ENABLED: 'true',
};
const config = {
  compat: { enabled: true },
  ai_transport: { enabled: true, channels: [{ prefix: 'ai:' }] },
};

const isOfMember = (name: string): boolean => name.startsWith('member_');

describe('an app’s own server is told of Ably clients', () => {
  const receiver = new Receiver();
  let [node, shop]: [Node, Tenant] = [] as never;
  let clients: AblyClients;
  beforeAll(async () => {
    await receiver.open();
    shop = openTenant('shop', {
      history: { enabled: true },
      channels: { annotations_enabled: true },
      webhooks: [{ url: receiver.url, event_types }],
    });
    receiver.belongsTo(shop);
    node = new Node('server', { tenants: [shop], env, config });
    await node.start();
    clients = new AblyClients(node, shop);
  });
  beforeEach(() => void receiver.events.splice(0));
  afterEach(() => clients.close());
  afterAll(async () => {
    expect(await node.stop()).toBe(0);
    expect(receiver.forged).toEqual([]);
    receiver.close();
  });

  /** What was told of the channel under these names, in no order: requests may overtake each other. */
  const told = (channel: string, isAsked: (name: string) => boolean): readonly HookEvent[] =>
    receiver.events
      .filter((one) => one.channel === channel && isAsked(one.name))
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

  it('what they say, each message once, and nothing that is only for those who are there', async () => {
    const client = clients.connect({ clientId: 'ada' });
    const channel = client.channels.get('said');
    await channel.attach();
    await channel.publish('order', { n: 1 });
    await channel.publish({ data: 'nameless' });
    for (let times = 0; times < 2; times += 1) await channel.publish({ id: 'once', name: 'once', data: 'x' });
    await channel.publish({ name: 'brief', data: 'x', extras: { ephemeral: true } });
    await clients.rest().channels.get('said').publish('of a server', 'x');
    await channel.publish('last', 'x');
    const socket_id = client.connection.id;
    const said = (event: string, data: string): object => ({
      name: 'client_event',
      channel: 'said',
      event,
      data,
      socket_id,
    });
    await eventually(() => {
      expect(told('said', (name) => name === 'client_event')).toEqual([
        said('last', 'x'),
        said('message', 'nameless'),
        said('once', 'x'),
        said('order', '{"n":1}'),
      ]);
      const versions = told('said', (name) => name === 'message_version_created');
      expect(versions.map(({ action }) => action)).toEqual(Array.from({ length: 5 }, () => 'message.create'));
    });
  });

  it('which users come, change and go on presence channels, and no members of others', async () => {
    const client = clients.connect({ clientId: 'ada' });
    for (const name of ['plain', 'presence-plain']) {
      const channel = client.channels.get(name);
      await channel.attach();
      await channel.presence.enter({ at: 'door' });
      await channel.presence.update({ at: 'desk' });
      await channel.presence.leave();
      await channel.publish('last', 'x');
    }
    // Whoever left is gone after three seconds, on either channel.
    await receiver.hears('member_removed', ['presence-plain']);
    const member = { channel: 'presence-plain', user_id: 'ada' };
    await eventually(() => {
      expect(told('presence-plain', isOfMember)).toEqual([
        { name: 'member_added', ...member },
        { name: 'member_removed', ...member },
        { name: 'member_updated', ...member, user_info: { at: 'desk' } },
      ]);
      const [last] = told('presence-plain', (name) => name === 'client_event');
      expect(last).toMatchObject({ event: 'last', user_id: 'ada' });
      expect(told('plain', (name) => name === 'client_event')).toHaveLength(1);
    });
    expect(told('plain', isOfMember)).toEqual([]);
  });

  it('what becomes of messages, and of runs of an AI, also by REST', async () => {
    const rest = clients.rest({ clientId: 'ada' });
    const channel = rest.channels.get('ai:x');
    const transport = { 'run-id': 'r1' };
    await channel.publish({ name: 'ai-run-start', data: 'x', extras: { ai: { transport } } });
    await channel.publish({ name: 'ai-cancel', data: 'x', extras: { ai: { transport } } });
    await receiver.hears('ai_cancel_requested', ['ai:x']);
    await receiver.hears('ai_run_started', ['ai:x']);
    await channel.publish('n', 'x');
    const { items } = await channel.history({ limit: 1 });
    const serial = items[0]?.serial ?? '';
    await channel.updateMessage({ serial, data: 'y' });
    await channel.annotations.publish(serial, { type: 'r:flag.v1' });
    await receiver.hears('annotation_created', ['ai:x']);
    await eventually(() => {
      const actions = receiver.events
        .filter(({ name, message_serial: of }) => name === 'message_version_created' && of === serial)
        .map(({ action }) => action);
      expect(actions.sort()).toEqual(['message.create', 'message.update']);
    });
  });
});
