import {
  ChatClient,
  type PresenceEvent,
  type Room,
  type RoomReactionEvent,
  RoomStatus,
  type TypingSetEvent,
} from '@ably/chat';
import Spaces, { type CursorUpdate, type Lock, type Space, type SpaceMember } from '@ably/spaces';
import * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, cut } from './ably.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };

onServer('products of Ably', { tenants: [shop], config: { compat: { enabled: true } }, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());
  const connect = (clientId: string): Ably.Realtime =>
    clients.connect({ clientId, disconnectedRetryTimeout: 100 });

  /** Two clients in a room of chat. */
  async function room(name: string) {
    const realtimes = [connect('ada'), connect('bob')] as const;
    const chats = realtimes.map((one) => new ChatClient(one));
    const rooms = await Promise.all(chats.map(({ rooms: all }) => all.get(name)));
    for (const one of rooms) await one.attach();
    const [here, there] = rooms as [Room, Room];
    const release = (): Promise<unknown> => Promise.all(chats.map(({ rooms: all }) => all.release(name)));
    return { here, there, ada: realtimes[0], release };
  }

  it('chat: who is in a room, who types, and reactions; messages and occupancy need routes that there are not', async () => {
    const { here, there, release } = await room('lobby');
    const came = new Inbox<PresenceEvent>();
    there.presence.subscribe(came.put);
    await here.presence.enter({ mood: 'fine' });
    expect(await came.take()).toMatchObject({
      type: 'enter',
      member: { clientId: 'ada', data: { mood: 'fine' } },
    });
    expect(await there.presence.isUserPresent('ada')).toBe(true);
    await here.presence.update({ mood: 'better' });
    expect(await came.take()).toMatchObject({ type: 'update', member: { data: { mood: 'better' } } });
    const members = await there.presence.get();
    expect(members.map(({ clientId, data }) => [clientId, data])).toEqual([['ada', { mood: 'better' }]]);
    await here.presence.leave({ mood: 'gone' });
    expect(await came.take()).toMatchObject({ type: 'leave', member: { data: { mood: 'gone' } } });
    expect(await there.presence.isUserPresent('ada')).toBe(false);

    const typing = new Inbox<TypingSetEvent>();
    const reactions = new Inbox<RoomReactionEvent>();
    there.typing.subscribe(typing.put);
    there.reactions.subscribe(reactions.put);
    await here.typing.keystroke();
    expect([...(await typing.take()).currentlyTyping]).toEqual(['ada']);
    await here.typing.stop();
    expect([...(await typing.take()).currentlyTyping]).toEqual([]);
    await here.reactions.send({ name: 'like', metadata: { size: 2 }, headers: { k: 'v' } });
    expect((await reactions.take()).reaction).toMatchObject({
      name: 'like',
      clientId: 'ada',
      metadata: { size: 2 },
      headers: { k: 'v' },
    });
    const absent = { code: 40_400 };
    await expect(here.messages.send({ text: 'hi' })).rejects.toMatchObject(absent);
    await expect(here.messages.history({ limit: 1 })).rejects.toMatchObject(absent);
    await expect(here.occupancy.get()).rejects.toMatchObject(absent);
    await release();
  });

  it('chat: a room that is cut goes on, and one that is left is detached', async () => {
    const { here, there, ada, release } = await room('cut');
    const [came, lost] = [new Inbox<PresenceEvent>(), new Inbox()];
    there.presence.subscribe(came.put);
    here.onDiscontinuity(lost.put);
    await here.presence.enter({ n: 1 });
    await came.take();
    const reactions = new Inbox<RoomReactionEvent>();
    here.reactions.subscribe(reactions.put);
    const isBack = ada.connection.once('disconnected').then(() => ada.connection.once('connected'));
    cut(ada);
    await isBack;
    await eventually(() => expect(here.status).toBe(RoomStatus.Attached));
    await there.reactions.send({ name: 'after' });
    expect((await reactions.take()).reaction.name).toBe('after');
    await here.detach();
    expect(here.status).toBe(RoomStatus.Detached);
    // Its presence ends with its attachment, and had not before.
    expect(await came.take()).toMatchObject({ type: 'leave', member: { clientId: 'ada' } });
    expect([lost.rest, came.rest]).toEqual([[], []]);
    await release();
  });

  /** Two clients in a space, each with what it was told last. */
  async function space(name: string) {
    const realtimes = [connect('ada'), connect('bob')] as const;
    const spaces: Space[] = [];
    const told = new Map<Space, SpaceMember[]>();
    for (const [index, profile] of [{ name: 'Ada' }, { name: 'Bob' }].entries()) {
      const one = await new Spaces(realtimes[index] as Ably.Realtime).get(name);
      one.subscribe('update', ({ members }) => void told.set(one, members));
      spaces.push(one);
      await one.enter(profile);
    }
    const [here, watching] = spaces as [Space, Space];
    /** Everybody has been told: a client that is closed before may be in the middle of asking who is there. */
    const allTold = (about: object, who: readonly Space[] = spaces): Promise<void> =>
      eventually(() => {
        for (const one of who) expect(told.get(one)).toContainEqual(expect.objectContaining(about));
      });
    for (const clientId of ['ada', 'bob']) await allTold({ clientId, isConnected: true });
    return { here, watching, ada: realtimes[0], allTold };
  }

  it('spaces: members and where they are', async () => {
    const { here, watching, ada, allTold } = await space('board');
    await here.locations.set({ slide: 3 });
    await allTold({ clientId: 'ada', location: { slide: 3 } });
    expect(Object.values(await watching.locations.getOthers())).toContainEqual({ slide: 3 });
    await here.updateProfileData({ name: 'Ada', hat: 'red' });
    await allTold({ clientId: 'ada', profileData: { name: 'Ada', hat: 'red' } });
    const left = new Inbox<SpaceMember>();
    watching.members.subscribe('leave', left.put);
    // Its connection ends without leaving the space.
    ada.close();
    expect(await left.take()).toMatchObject({
      clientId: 'ada',
      isConnected: false,
      profileData: { name: 'Ada', hat: 'red' },
      location: { slide: 3 },
    });
    await watching.leave({ name: 'Bob', said: 'bye' });
    expect(await left.take()).toMatchObject({ clientId: 'bob', profileData: { said: 'bye' } });
    await allTold({ clientId: 'bob', isConnected: false }, [watching]);
  });

  it('spaces: locks, one holder each, and cursors', async () => {
    const { here, watching, allTold } = await space('locked');
    const [mine, seen] = [new Inbox<Lock>(), new Inbox<Lock>()];
    here.locks.subscribe('update', mine.put);
    watching.locks.subscribe('update', seen.put);
    await here.locks.acquire('header', { attributes: { why: 'typing' } });
    const lock = { id: 'header', status: 'locked', attributes: { why: 'typing' } };
    for (const inbox of [mine, seen]) {
      let next = await inbox.take();
      while (next.status === 'pending') next = await inbox.take();
      expect(next).toMatchObject({ ...lock, member: { clientId: 'ada' } });
    }
    expect(watching.locks.get('header')).toMatchObject({ ...lock, member: { clientId: 'ada' } });
    await here.locks.release('header');
    let next = await seen.take();
    while (next.status !== 'unlocked') next = await seen.take();
    expect(watching.locks.get('header')).toBeUndefined();

    const moved = new Inbox<CursorUpdate>();
    watching.cursors.subscribe('update', moved.put);
    let x = 0;
    // Nothing is sent before the library knows of somebody who looks.
    await eventually(async () => {
      x += 1;
      await here.cursors.set({ position: { x, y: 2 }, data: { color: 'red' } });
      expect(moved.rest.length).toBeGreaterThan(0);
    });
    let last = await moved.take();
    while (last.position.x < x) last = await moved.take();
    expect(last).toMatchObject({ clientId: 'ada', position: { x, y: 2 }, data: { color: 'red' } });
    await here.leave();
    await allTold({ clientId: 'ada', isConnected: false });
  });
});
