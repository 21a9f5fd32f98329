import { expect, it } from 'vitest';
import type { ClientV2, FrameV2 } from '../harness/client-v2.js';
import { userAuth } from '../harness/signatures.js';
import { bounded, mute, type Place } from './place.js';

/** What the data of a frame says, which is JSON in a text. */
const said = ({ data }: FrameV2): unknown => JSON.parse(String(data));

const ids = (frame: FrameV2): readonly string[] =>
  (said(frame) as { presence: { ids: readonly string[] } }).presence.ids;

function askSignin(client: ClientV2, place: Place, userData: string, tenant = place.tenant): void {
  const auth = userAuth(tenant, client.socketId, userData);
  client.send({ event: 'service:signin', data: { auth, user_data: userData } });
}

/** Who is there, and who they are. */
export function people(place: Place): void {
  it('counts members once, wherever they are, tells of the first and the last connection, and no others', async () => {
    const channel = place.name('presence-lobby');
    const [here, there] = await place.both();
    const watcher = await place.connect(1);
    await watcher.subscribe(channel, {}, 'bo');
    expect(ids(await here.subscribe(channel, {}, '10'))).toEqual(['bo', '10']);
    const added = await watcher.next();
    expect(added).toMatchObject({ event: 'service_internal:member_added', channel });
    expect(said(added)).toEqual({ user_id: '10', user_info: {} });
    expect(added).not.toHaveProperty('message_id');
    expect(ids(await there.subscribe(channel, {}, '10'))).toEqual(['bo', '10']);
    await here.unsubscribe(channel);
    expect(await watcher.pending()).toEqual([]);
    await there.unsubscribe(channel);
    const removed = await watcher.next();
    expect([removed.event, said(removed)]).toEqual(['service_internal:member_removed', { user_id: '10' }]);
  });

  it('takes a number for its digits, refuses members that are nobody, and as many as there may be', async () => {
    const channel = place.name('presence-pair');
    const [ada, bo] = await place.both({ tenant: bounded });
    expect(ids(await ada.subscribe(channel, {}, 10))).toEqual(['10']);
    await bo.subscribe(channel, {}, 'bo');
    const eve = await place.connect(1, { tenant: bounded });
    eve.ask(channel, {}, 'eve');
    expect(await eve.next()).toMatchObject({ event: 'service:error', channel, data: { code: 4100 } });
    expect(await eve.next()).toMatchObject({ event: 'service:subscription_error', data: { status: 503 } });
    expect(ids(await eve.subscribe(channel, {}, '10'))).toEqual(['10', 'bo']);
    expect(await eve.refused(place.name('presence-nobody'))).toEqual([4000, 400]);
  });

  it('knows who signed in by exactly what they said, and nobody by another signature', async () => {
    const client = await place.connect(1);
    const userData = `{"id":"${place.name('u')}", "name":"☃"}`;
    askSignin(client, place, userData, bounded);
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4009 } });
    askSignin(client, place, userData);
    expect(await client.next()).toMatchObject({
      event: 'service:signin_success',
      data: { user_data: userData },
    });
    const silent = await place.connect(0, { tenant: mute });
    askSignin(silent, place, userData, mute);
    expect(await silent.next()).toMatchObject({ event: 'service:error', data: { code: 4009 } });
  });

  it('tells who watches a user when that one comes to any gateway, and when it has left all', async () => {
    const [watched, other] = [place.name('u'), place.name('u')];
    const watcher = await place.connect(0);
    await watcher.signin(place.name('w'), { watchlist: [watched, other] });
    const told = async (): Promise<unknown> => {
      const frame = await watcher.next();
      expect(frame.event).toBe('service_internal:watchlist_events');
      return (said(frame) as { events: unknown }).events;
    };
    expect(await told()).toEqual([{ name: 'offline', user_ids: [watched, other] }]);
    const [here, there] = await place.both();
    await there.signin(watched);
    expect(await told()).toEqual([{ name: 'online', user_ids: [watched] }]);
    await here.signin(watched);
    there.vanish();
    await here.pending();
    here.vanish();
    expect(await told()).toEqual([{ name: 'offline', user_ids: [watched] }]);
  });
}
