import { engine } from '@carillon/test-backends';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../src/cluster/outbox.js';
import { natsWire } from '../src/drivers/nats/nats-wire.js';
import { configured } from './settings.js';

/** Opens a session of a user without permissions on `denied`, the prefix of this installation. */
async function limited() {
  const { url } = await engine('nats');
  const { nats: settings } = configured({
    NATS_SERVERS: url,
    NATS_PREFIX: 'denied',
    NATS_USERNAME: 'limited',
    NATS_PASSWORD: 'limited',
  }).adapter;
  const events: string[] = [];
  const wire = natsWire({ settings, connectionName: 'limited', onEvent: (event) => void events.push(event) });
  const session = await wire.open({ message: () => {}, dropped: () => {}, lost: () => {} });
  return { session, events, names: wire.names };
}

describe('a user whom NATS does not let do everything', () => {
  it('is told which of the messages went nowhere, and which subscriptions hear nothing', async () => {
    const { session, events, names } = await limited();
    const outbox = new Outbox();
    outbox.attach(session);
    const addresses = [names.channel('app', 'news'), names.reply('me'), names.broadcast, names.reply('you')];
    const sent = await Promise.allSettled(addresses.map((address) => outbox.send(address, '1')));
    expect(sent.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await session.subscribe(addresses)).toEqual([addresses[0], addresses[2]]);
    await session.check();
    expect(events).toEqual(['connected', ...Array.from({ length: 4 }, () => 'server_error')]);
    outbox.close();
    await session.close();
  });
});
