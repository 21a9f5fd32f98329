import { encodeDelta } from '@carillon/delta';
import * as fc from 'fast-check';
import { createDelta } from 'fossil-delta';
import { describe, expect, it } from 'vitest';
import { fossil } from '../src/delta/fossil.js';
import { vcdiff } from '../src/delta/vcdiff.js';
import { settled, subscribed, World } from './harness/world.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Texts that have much in common, as messages of one channel do. */
const pairs = fc
  .tuple(
    fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 12 }),
    fc.infiniteStream(fc.nat(3)),
  )
  .map(([pieces, choices]) => {
    const changed = pieces.flatMap((piece) => {
      const choice = choices.next().value;
      return choice === 0 ? [] : choice === 1 ? [piece, piece] : choice === 2 ? [`${piece}!`] : [piece];
    });
    return [pieces.join('-'), changed.join('-')] as const;
  });

const priced = (price: number): string => `{"event":"tick","channel":"mkt","data":"{\\"p\\":${price}}"}`;

describe('differences', () => {
  it.each([
    ['fossil', fossil],
    ['xdelta3', vcdiff],
  ] as const)('are read as the service makes them (%s)', (algorithm, decoder) => {
    fc.assert(
      fc.property(pairs, ([base, target]) => {
        const delta = Buffer.from(encodeDelta(algorithm, base, target), 'base64');
        expect(new TextDecoder().decode(decoder.apply(utf8(base), delta))).toBe(target);
      }),
    );
  });

  it('are read as other encoders make them', () => {
    fc.assert(
      fc.property(pairs, ([base, target]) => {
        const delta = Uint8Array.from(createDelta(utf8(base), utf8(target)));
        expect(new TextDecoder().decode(fossil.apply(utf8(base), delta))).toBe(target);
      }),
    );
  });

  it('are read as in the specification', () => {
    expect(new TextDecoder().decode(fossil.apply(utf8(priced(100)), utf8('q\nm@0,1:53@n,2_rFVh;')))).toBe(
      priced(105),
    );
  });

  it.each([fossil, vcdiff])('that are rubbish are refused, and cost nothing ($algorithm)', (decoder) => {
    const base = utf8('the base of it all');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (rubbish) => {
        const start = decoder === vcdiff ? [0xd6, 0xc3, 0xc4, 0, 0] : [];
        try {
          decoder.apply(base, Uint8Array.from([...start, ...rubbish]));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });
});

const full = (n: number): string =>
  `{"event":"tick","channel":"mkt","data":"{\\"n\\":${n}}","message_id":"m-${n}","stream_id":"a","serial":${n}}`;
const tracked = (n: number, sequence: number): string => `${full(n).slice(0, -1)},"__delta_seq":${sequence}}`;
const difference = (from: number, to: number, sequence: number): object => {
  const delta = encodeDelta('fossil', full(from), full(to));
  return {
    event: 'service:delta',
    channel: 'mkt',
    data: { event: 'tick', delta, seq: sequence, base_index: sequence - 1, algorithm: 'fossil' },
    message_id: `m-${to}`,
    stream_id: 'a',
    serial: to,
  };
};
const open = async () => {
  const world = new World({ deltas: [fossil, vcdiff] });
  const heard: unknown[] = [];
  await world.connect();
  const channel = world.client.subscribe<{ tick: { n: number } }>('mkt');
  channel.bind('tick', ({ n }) => heard.push(n));
  await settled();
  const enabled = world.socket.taken()[0];
  world.socket.says(subscribed('mkt', {}, { stream_id: 'a', serial: 0 }));
  return { world, heard, enabled };
};

describe('a channel with differences', () => {
  it('asks for them, and hears whole messages', async () => {
    const { world, heard, enabled } = await open();
    expect(enabled).toEqual({
      event: 'service:enable_delta_compression',
      data: { algorithms: ['fossil', 'xdelta3'] },
    });
    world.socket.says(tracked(1, 0));
    world.socket.says(tracked(2, 1));
    world.socket.says(difference(2, 3, 2));
    world.socket.says(difference(3, 4, 3));
    expect(heard).toEqual([1, 2, 3, 4]);
  });

  it('loses nothing when a difference does not fit, and keeps the order', async () => {
    const { world, heard } = await open();
    world.socket.says(tracked(1, 0));
    world.socket.says(difference(7, 2, 5));
    world.socket.says(difference(2, 3, 6));
    expect(world.socket.taken()).toEqual([
      { event: 'service:delta_sync_error', data: { channel: 'mkt' } },
      {
        event: 'service:resume',
        data: { channel_positions: { mkt: { stream_id: 'a', serial: 1, last_message_id: 'm-1' } } },
      },
    ]);
    world.socket.says(tracked(4, 0));
    for (const n of [2, 3, 4]) world.socket.says(full(n));
    expect(heard).toEqual([1]);
    const position = { stream_id: 'a', serial: 4, last_message_id: 'm-4' };
    const recovered = [{ channel: 'mkt', source: 'hot', replayed: 3, position }];
    world.socket.says({ event: 'service:resume_success', data: JSON.stringify({ recovered, failed: [] }) });
    world.socket.says(tracked(5, 1));
    world.socket.says(difference(5, 6, 2));
    expect(heard).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('takes the bases that the service says it will use', async () => {
    const { world, heard } = await open();
    const states = { '': [{ content: full(1), seq: 0 }] };
    world.socket.says({
      event: 'service:delta_cache_sync',
      channel: 'mkt',
      data: JSON.stringify({ states }),
    });
    world.socket.says(difference(1, 2, 1));
    expect(heard).toEqual([2]);
  });
});
