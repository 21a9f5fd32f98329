import { json, type DeltaDecoder, type WireFormat } from '@carillon/client';
import { fossil } from '@carillon/client/fossil';
import { vcdiff } from '@carillon/client/vcdiff';
import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { People } from './people.js';

const shop = openTenant('shop', {
  channels: { channel_delta_compression: { 'quotes-*': { enabled: true, conflation_key: 'asset' } } },
});

/** JSON, and what it was asked to read. */
function counted(): { readonly format: WireFormat; readonly events: string[] } {
  const events: string[] = [];
  const decode: WireFormat['decode'] = (data) => {
    const frame = json.decode(data);
    if (frame !== null) events.push(frame.event);
    return frame;
  };
  return { format: { ...json, decode }, events };
}

const payload = (n: number, asset = 'BTC'): object => ({
  asset,
  n,
  text: 'what is the same in all of them, and long enough to be worth a difference; '.repeat(4),
});

const deltasOf = (events: readonly string[]): number =>
  events.filter((event) => event === 'service:delta').length;

onServer('differences, by the own client', { tenants: [shop] }, (node) => {
  const people = new People(node);
  afterEach(() => people.leave());

  describe.each([fossil, vcdiff])('made by $algorithm', (decoder: DeltaDecoder) => {
    it('are heard as whole messages', async () => {
      const { format, events } = counted();
      const ada = await people.come('ada', { format, deltas: [decoder] });
      const inbox = new Inbox<unknown>();
      const channel = ada.subscribe(`ticks-${decoder.algorithm}`, { delta: decoder.algorithm });
      channel.bind('tick', inbox.put);
      await channel.whenSubscribed();
      for (let n = 0; n < 25; n += 1) await node.api().publish(channel.name, 'tick', payload(n));
      for (let n = 0; n < 25; n += 1) expect(await inbox.take()).toEqual(payload(n));
      expect(deltasOf(events)).toBeGreaterThan(15);
    });

    it('are made within groups', async () => {
      const { format, events } = counted();
      const ada = await people.come('ada', { format, deltas: [decoder] });
      const inbox = new Inbox<unknown>();
      const channel = ada.subscribe(`quotes-${decoder.algorithm}`, { delta: decoder.algorithm });
      channel.bind('tick', inbox.put);
      await channel.whenSubscribed();
      const sent = Array.from({ length: 24 }, (_, n) => payload(n, ['BTC', 'ETH', 'SOL'][n % 3]));
      for (const one of sent) await node.api().publish(channel.name, 'tick', one);
      for (const one of sent) expect(await inbox.take()).toEqual(one);
      expect(deltasOf(events)).toBeGreaterThan(10);
      const late = await people.come('bo', { deltas: [decoder] });
      const quotes = late.subscribe(channel.name, { delta: decoder.algorithm });
      const heard = new Inbox<unknown>();
      quotes.bind('tick', heard.put);
      await quotes.whenSubscribed();
      await node.api().publish(channel.name, 'tick', payload(99, 'ETH'));
      expect(await heard.take()).toEqual(payload(99, 'ETH'));
    });
  });

  it('that do not fit are told, and the service starts over', async () => {
    let broken = 0;
    const decoder: DeltaDecoder = {
      ...fossil,
      apply: (base, delta) => {
        broken += 1;
        if (broken === 3) throw new Error('as if it did not fit');
        return fossil.apply(base, delta);
      },
    };
    const ada = await people.come('ada', { deltas: [decoder] });
    const inbox = new Inbox<unknown>();
    const channel = ada.subscribe<{ tick: { n: number } }>('broken');
    channel.bind('tick', ({ n }) => inbox.put(n));
    channel.on('recovery', ({ recovered }) => inbox.put(recovered));
    await channel.whenSubscribed();
    for (let n = 0; n < 5; n += 1) await node.api().publish('broken', 'tick', payload(n));
    for (const n of [0, 1, 2, 3, false]) expect(await inbox.take()).toBe(n);
    await node.api().publish('broken', 'tick', payload(5));
    expect(await inbox.take()).toBe(5);
  });
});
