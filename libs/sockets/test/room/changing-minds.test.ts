import { expect, it } from 'vitest';
import { ClientV2, token } from './client-v2.js';
import { Hold } from './ports.js';
import { eventually, openRoom, type Room } from './room.js';

const filter = (val: string): object => ({ filter: { key: 'region', cmp: 'eq', val } });

/** The next join waits; resolves when it does. */
function held(room: Room): { readonly hold: Hold; readonly waits: () => Promise<void> } {
  const hold = new Hold();
  let isWaiting = false;
  room.presence.beforeJoin = () => {
    isWaiting = true;
    return hold.settled;
  };
  return { hold, waits: () => eventually(() => isWaiting) };
}

it('a change of a subscription that comes to nothing leaves what was there, whatever else changes', async () => {
  const room = await openRoom({ env: { TAG_FILTERING_ENABLED: 'true' } });
  const client = await ClientV2.connect(room.port, 'json');
  client.subscribe('presence-a', filter('eu'), 'ada');
  await client.until('service_internal:subscription_succeeded');
  const { hold, waits } = held(room);
  client.subscribe('presence-a', filter('us'), 'ada');
  await waits();
  hold.fail();
  await client.until('service:subscription_error');
  client.send('service:enable_delta_compression');
  await client.heard();
  for (const region of ['us', 'eu'])
    room.publish('presence-a', region, { tagsText: JSON.stringify({ region }) });
  expect((await client.heard()).map((frame) => client.text(frame))).toEqual(['eu']);
});

it('who gets a token that permits less while it is let in somewhere is not there in the end', async () => {
  const room = await openRoom();
  const query = `&token=${token('ada', { '*': ['subscribe', 'presence'] })}`;
  const client = await ClientV2.connect(room.port, 'json', query);
  const { hold, waits } = held(room);
  client.subscribe('presence-a', {}, 'ada');
  await waits();
  client.send('service:auth', { token: token('ada', { orders: ['subscribe'] }, { jti: 'less' }) });
  await client.until('service:auth_success');
  hold.release();
  expect(client.value(await client.until('service:subscription_error'))).toMatchObject({ status: 403 });
  client.frames.splice(0);
  room.publish('presence-a', 'not for ada');
  expect(await client.heard()).toEqual([]);
  await eventually(async () => (await room.members('presence-a')).length === 0);
  client.close();
  await room.expectNothingLeft();
});
