import type * as Ably from 'ably';
import { expect } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { type AblyClients, frame } from './ably.js';

/** What may wait for one client while it is let in. */
const MAX_WAITING = 4096;
/** Several publish it at once, so that it has come before anybody gives up what is being asked for. */
const PUBLISHERS = 16;

const CHANNEL = 'flood';

/** Asks nothing that is shared: neither members nor a history are wanted. */
const ATTACH = JSON.stringify({ action: 10, channel: CHANNEL, params: { modes: 'publish,subscribe' } });

/**
 * A client is being let into a channel, which takes until it is known who is there, and meanwhile one message more comes
 * than may wait for it: it has the channel, is told that something is lost, and goes on from there.
 */
export async function loseWhileLetIn(
  clients: AblyClients,
  shared: { pause(): Promise<void>; resume(): Promise<void> },
): Promise<void> {
  const publishers = await Promise.all(Array.from({ length: PUBLISHERS }, () => clients.raw()));
  for (const one of publishers) await frame(one);
  const crowd = await clients.raw();
  await frame(crowd);
  crowd.sendText(ATTACH);
  await frame(crowd);
  const client = clients.connect();
  await client.connection.whenState('connected');
  const channel = client.channels.get(CHANNEL);
  const changes = new Inbox<Ably.ChannelStateChange>();
  channel.on(['attached', 'update'], changes.put);
  const inbox = new Inbox<Ably.InboundMessage>();
  await shared.pause();
  const attached = channel.subscribe(inbox.put);
  await channel.whenState('attaching');
  // Answered after what was asked before.
  await client.connection.ping();
  const one = { data: 'x', extras: { ephemeral: true } };
  const messages = Array.from({ length: MAX_WAITING / PUBLISHERS + 1 }, () => one);
  const published = JSON.stringify({ action: 15, channel: CHANNEL, msgSerial: 0, messages });
  for (const publisher of publishers) publisher.sendText(published);
  for (let heard = 0; heard <= MAX_WAITING; heard += Number((await frame(crowd))['action'] === 15));
  await shared.resume();
  await attached;
  expect(await changes.take()).toMatchObject({ current: 'attached', resumed: false });
  expect(await changes.take()).toMatchObject({
    current: 'attached',
    resumed: false,
    reason: { code: 90_003, statusCode: 404 },
  });
  await clients.rest().channels.get(CHANNEL).publish('n', 'after');
  expect((await inbox.take()).data).toBe('after');
}
