import type * as Ably from 'ably';
import { expect } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { eventually } from '../harness/eventually.js';
import { OnePort } from '../harness/one-port.js';
import { type AblyClients, cut, frame } from './ably.js';

const MODES = { PRESENCE: 65_536, PUBLISH: 131_072, ANNOTATION_PUBLISH: 2_097_152 };

/** A member comes back by another gateway while the socket that it had still looks open. */
export async function moveOn(here: AblyClients, there: AblyClients): Promise<void> {
  const name = 'moving';
  const told = new Inbox<Ably.PresenceMessage>();
  const watching = here.connect().channels.get(name);
  await watching.presence.subscribe(told.put);
  const first = await here.raw('&clientId=eve');
  const { connectionId, connectionDetails } = await frame(first);
  const { connectionKey } = connectionDetails as { connectionKey: string };
  const eve = { clientId: 'eve', connectionId };
  const attach = `{"action":10,"channel":"${name}"}`;
  first.sendText(attach);
  const presence = (msgSerial: number, member: object): string =>
    JSON.stringify({ action: 14, channel: name, msgSerial, presence: [member] });
  first.sendText(presence(0, { action: 2, data: 'x' }));
  expect(await told.take()).toMatchObject({ action: 'enter', ...eve });
  const second = await there.raw(`&clientId=eve&resume=${connectionKey}`);
  expect(await frame(second)).toMatchObject({ action: 4, connectionId });
  await eventually(() => expect(first.connection.ended).toBe(true));
  second.sendText(attach);
  // It is a member there already, without having entered.
  second.sendText(presence(1, { action: 4, data: 'y' }));
  expect(await told.take()).toMatchObject({ action: 'update', ...eve, data: 'y' });
  second.sendText('{"action":7}');
  expect(await told.take()).toMatchObject({ action: 'leave', ...eve });
  expect(told.rest).toEqual([]);
}

/** A connection comes back by another gateway and says once more everything that it was answered by the first. */
export async function sayAgain(here: AblyClients, there: AblyClients): Promise<void> {
  const name = 'again';
  const watching = here.connect().channels.get(name);
  const [inbox, told] = [new Inbox<Ably.InboundMessage>(), new Inbox<Ably.PresenceMessage>()];
  await watching.subscribe('n', inbox.put);
  await watching.presence.subscribe(told.put);
  const reactions = new Inbox<Ably.Annotation>();
  const { serials } = await watching.publish('n', 'annotated');
  const messageSerial = String(serials[0]);
  const reacting = there.connect().channels.get(name, { modes: ['ANNOTATION_SUBSCRIBE'] });
  await reacting.annotations.subscribe(reactions.put);
  await inbox.take();
  const first = await here.raw('&clientId=eve');
  const { connectionId, connectionDetails } = await frame(first);
  const { connectionKey, serverId } = connectionDetails as Record<string, string>;
  const of = (about: object): string => JSON.stringify({ channel: name, ...about });
  const annotation = { type: 'reactions:flag.v1', messageSerial };
  const frames = [
    { action: 15, msgSerial: 0, messages: ['a', 'b'].map((data) => ({ name: 'n', data })) },
    { action: 14, msgSerial: 1, presence: [{ action: 2, data: 'x' }] },
    { action: 14, msgSerial: 2, presence: [{ action: 4, data: 'y' }] },
    { action: 21, msgSerial: 3, annotations: [annotation] },
    { action: 21, msgSerial: 4, annotations: [{ ...annotation, action: 1 }] },
  ].map(of);
  const attach = of({ action: 10, flags: MODES.PRESENCE | MODES.ANNOTATION_PUBLISH | MODES.PUBLISH });
  const answersOf = async (socket: Awaited<ReturnType<typeof here.raw>>): Promise<unknown[]> => {
    socket.sendText(attach);
    expect(await frame(socket)).toMatchObject({ action: 11 });
    for (const one of frames) socket.sendText(one);
    const answers: unknown[] = [];
    while (answers.length < frames.length) {
      const answer = await frame(socket);
      if (answer['action'] !== 14) answers.push(answer);
    }
    return answers;
  };
  const answers = await answersOf(first);
  expect(answers).toEqual(frames.map((_, msgSerial) => expect.objectContaining({ action: 1, msgSerial })));
  const second = await there.raw(`&clientId=eve&resume=${connectionKey}`);
  const connected = await frame(second);
  expect(connected).toMatchObject({ action: 4, connectionId });
  expect((connected['connectionDetails'] as Record<string, string>)['serverId']).not.toBe(serverId);
  expect(await answersOf(second)).toEqual(answers);
  second.sendText(of({ action: 15, msgSerial: 5, messages: [{ name: 'n', data: 'c' }] }));
  for (const data of ['a', 'b', 'c']) expect((await inbox.take()).data).toBe(data);
  second.sendText(of({ action: 14, msgSerial: 6, presence: [{ action: 3, data: 'z' }] }));
  for (const [action, data] of [
    ['enter', 'x'],
    ['update', 'y'],
    ['leave', 'z'],
  ])
    expect(await told.take()).toMatchObject({ action, data, connectionId });
  for (const action of ['annotation.create', 'annotation.delete'])
    expect(await reactions.take()).toMatchObject({ action, messageSerial });
  await eventually(() => expect([inbox.rest, told.rest, reactions.rest]).toEqual([[], [], []]));
}

/** Members who remain present for a time of their own, whose clients come back by another gateway, or do not. */
export async function remain(
  here: AblyClients,
  there: AblyClients,
  ports: readonly [here: number, there: number],
): Promise<void> {
  const name = 'remaining';
  const told = new Inbox<Ably.PresenceMessage>();
  const watching = here.connect().channels.get(name);
  await watching.presence.subscribe(told.put);
  const targets: number[] = [ports[0]];
  const front = new OnePort(targets);
  const port = await front.listen();
  try {
    const enter = async (clientId: string, remainPresentFor: number) => {
      const transportParams = { remainPresentFor };
      const client = here.connect({ port, clientId, transportParams, disconnectedRetryTimeout: 100 });
      const channel = client.channels.get(name);
      await channel.presence.enter('x');
      const { id: connectionId } = client.connection;
      expect(await told.take()).toMatchObject({ action: 'enter', clientId, connectionId });
      return { client, channel, connectionId };
    };
    const { client: ada, channel, connectionId } = await enter('ada', 15_000);
    targets[0] = ports[1];
    const isBack = ada.connection.once('disconnected').then(() => ada.connection.once('connected'));
    cut(ada);
    await isBack;
    await channel.presence.update('y');
    expect(await told.take()).toMatchObject({ action: 'update', clientId: 'ada', connectionId, data: 'y' });
    // One that does not come back, by the gateway that it went to.
    const bob = { clientId: 'bob', connectionId: '' };
    const gone = await there.raw('&clientId=bob&remainPresentFor=1000');
    bob.connectionId = String((await frame(gone))['connectionId']);
    gone.sendText(`{"action":10,"channel":"${name}"}`);
    gone.sendText(`{"action":14,"channel":"${name}","msgSerial":0,"presence":[{"action":2,"data":"b"}]}`);
    expect(await told.take()).toMatchObject({ action: 'enter', ...bob });
    gone.destroy();
    expect(await told.take()).toMatchObject({ action: 'leave', ...bob, data: 'b' });
    // One whose client enters by another connection, elsewhere.
    const { client: kim, connectionId: older } = await enter('kim', 15_000);
    targets[0] = 1;
    const isCut = kim.connection.once('disconnected');
    cut(kim);
    await isCut;
    await eventually(async () => expect((await watching.presence.get()).length).toBe(2));
    const again = here.connect({ clientId: 'kim' });
    await again.channels.get(name).presence.enter('z');
    const changes = [await told.take(), await told.take()];
    expect(changes.map(({ action, connectionId: of, data }) => [action, of, data as unknown])).toEqual([
      ['enter', again.connection.id, 'z'],
      ['leave', older, 'x'],
    ]);
    expect(told.rest).toEqual([]);
  } finally {
    front.close();
  }
}
