import { expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { tenant } from '../harness/tenant.js';
import { encode } from '../harness/wire-v2.js';
import { bounded, disabled, heard, mute, type Place, single, texts } from './place.js';

const LIMIT_BYTES = 65_536;
const nobody = tenant('nobody');

/** Who is not let in, and what is refused to who is: in their own format, and the connection goes on. */
export function refusing(place: Place): void {
  it('says why before it closes: to an unknown key, a disabled app, and over a quota of all gateways', async () => {
    for (const [stranger, code] of [
      [nobody, 4001],
      [disabled, 4003],
    ] as const) {
      const { frames, ...end } = await (await place.open(1, { tenant: stranger })).ended();
      expect([end.code, frames]).toMatchObject([code, [{ event: 'service:error', data: { code } }]]);
    }
    // Of the format before, it may not have gone yet.
    const first = await eventually(() => place.connect(0, { tenant: single }));
    const { frames, code } = await (await place.open(1, { tenant: single })).ended();
    expect([code, frames]).toMatchObject([4004, [{ event: 'service:error', data: { code: 4004 } }]]);
    expect(await first.pending()).toEqual([]);
    first.vanish();
    await eventually(() => place.connect(1, { tenant: single }));
  });

  it.skipIf(place.isSession)('takes a frame of 64 KiB, and closes with 1009 for one byte more', async () => {
    const client = await place.connect(1);
    const ping = (text: string): Buffer =>
      encode(place.format, { event: 'service:ping', data: text.padEnd(40_000, 'x') });
    const sized = (bytes: number): Buffer => ping('x'.repeat(40_000 + bytes - ping('').length));
    client.sendBytes(sized(LIMIT_BYTES));
    expect(await client.next()).toEqual({ event: 'service:pong' });
    client.sendBytes(sized(LIMIT_BYTES + 1));
    expect((await client.ended()).code).toBe(1009);
  });

  it('refuses names that are none, too long, or of a namespace that there is not', async () => {
    const client = await place.connect(0);
    for (const channel of ['bad name!', 'x'.repeat(201), 'other:1'])
      expect(await client.refused(channel)).toEqual([4300, 400]);
    await client.subscribe('x'.repeat(200));
    await (await place.connect(1, { tenant: bounded })).subscribe('other:1');
  });

  it('refuses a channel without its signature or with another, also of the kinds with a last event', async () => {
    const client = await place.connect(1);
    for (const kind of ['private', 'private-cache', 'private-encrypted', 'presence', 'presence-cache']) {
      const channel = place.name(`${kind}-x`);
      const members = kind.startsWith('presence') ? { channel_data: '{"user_id":"u"}' } : {};
      for (const auth of ['', `${place.tenant.key}:${'0'.repeat(64)}`]) {
        client.ask(channel, { ...members, auth });
        expect(await client.next()).toMatchObject({ event: 'service:error', channel, data: { code: 4009 } });
        expect(await client.next()).toMatchObject({
          event: 'service:subscription_error',
          channel,
          data: { type: 'AuthError', status: 401, code: 4009 },
        });
      }
      await place.publish(channel, 'not for you');
    }
    const open = place.name('open');
    expect((await client.subscribe(open)).channel).toBe(open);
    await place.publish(open, 'last');
    expect(await heard(client)).toEqual([]);
  });

  it('refuses events where clients may send none, and members say who sent what', async () => {
    const silenced = await place.connect(0, { tenant: mute });
    await silenced.subscribe('private-x');
    silenced.send({ event: 'client-x', channel: 'private-x', data: 1 });
    expect(await silenced.next()).toMatchObject({ event: 'service:error', data: { code: 4301 } });
    const [channel, open, other] = [place.name('presence-x'), place.name('open'), place.name('private-x')];
    const [ada, bo] = await place.both();
    await ada.subscribe(open);
    for (const name of [open, other]) {
      ada.send({ event: 'client-x', channel: name, data: 1 });
      expect(await ada.next()).toMatchObject({ event: 'service:error', channel: name, data: { code: 4301 } });
    }
    await bo.subscribe(channel, {}, 'bo');
    await ada.subscribe(channel, {}, 'ada');
    await bo.until('service_internal:member_added');
    ada.send({ event: 'client-x', channel, data: { n: 1 } });
    for (const client of [ada, bo])
      expect(await client.next()).toMatchObject({
        event: 'client-x',
        channel,
        data: { n: 1 },
        user_id: 'ada',
      });
  });

  it('weighs bytes as they are, and everything else as JSON', async () => {
    const channel = place.name('private-x');
    const sender = await place.connect(1, { tenant: bounded });
    await sender.subscribe(channel);
    const sized = (bytes: number): unknown =>
      place.format === 'json' ? 'x'.repeat(bytes - 2) : Buffer.alloc(bytes, 255);
    for (const bytes of [1024, 1025]) sender.send({ event: 'client-x', channel, data: sized(bytes) });
    const frames = [await sender.next(), await sender.next()];
    expect(frames.map(({ event }) => event).toSorted()).toEqual(['client-x', 'service:error']);
    expect(frames.find(({ event }) => event === 'client-x')?.data).toEqual(sized(1024));
  });

  it('drops what a client sends above its rate, and tells it', async () => {
    const channel = place.name('private-x');
    const [sender, other] = await place.both({ tenant: bounded });
    for (const client of [sender, other]) await client.subscribe(channel);
    for (const n of [1, 2, 3]) sender.send({ event: 'client-x', channel, data: n });
    const frames = [await sender.next(), await sender.next(), await sender.next()];
    expect(frames.find(({ event }) => event === 'service:error')).toMatchObject({ data: { code: 4301 } });
    await place.publishAs(bounded, channel, 'last');
    expect((await heard(other)).map(({ data }) => data)).toEqual([1, 2]);
    expect(texts(await heard(sender))).toEqual([]);
  });
}
