import { decode } from '@ably/vcdiff-decoder';
import { type AppHub, type Codec, Frames, type LocalChannel } from '@carillon/realtime';
import type { Message } from '@carillon/protocol';
import { LoopShare, type Metrics } from '@carillon/runtime';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { compileExpression } from '@carillon/filter';
import { CompatCodec } from '../src/codec.js';
import { DeltaChain } from '../src/delta/delta-chain.js';
import { DeltaEntry } from '../src/delta/delta-entry.js';
import { Deltas } from '../src/delta/deltas.js';
import { MODE } from '../src/flags.js';

const nothing = (): void => undefined;
const meters = { full: nothing, delta: nothing };
const uncounted = { encoded: nothing, told: nothing };
const full = new CompatCodec(
  { format: 'json', channelText: null, modes: MODE.SUBSCRIBE, filter: null },
  uncounted,
);

function chain(): DeltaChain {
  const entry = new DeltaEntry(full, () => made);
  const made = new DeltaChain({ stepped: nothing, left: nothing, meters }, full, entry);
  return made;
}

let ids = 0;
const message = (data: string, more: Partial<Message> = {}): Message => ({
  kind: 'message',
  channel: 'c',
  event: 'n',
  name: null,
  dataText: JSON.stringify(data),
  userId: null,
  messageId: `m${(ids += 1)}`,
  tagsText: null,
  extrasText: null,
  streamId: null,
  serial: null,
  action: 'plain',
  isFromClient: true,
  mayBeDelta: true,
  ...more,
});

interface Shown {
  readonly id: string;
  readonly data: string;
  readonly encoding?: string;
  readonly extras?: { readonly delta?: { readonly from: string } };
}

const shownBy = (codec: DeltaChain | DeltaEntry, fact: Message): Shown =>
  (JSON.parse(String(new Frames(fact).of(codec))) as { messages: [Shown] }).messages[0];

/** Decodes a message as the client library does. */
function read(shown: Shown, before: Shown | null, held: string): string {
  if (shown.extras?.delta === undefined) return shown.data;
  expect(shown.extras.delta.from).toBe(before?.id);
  expect(shown.encoding).toBe('utf-8/vcdiff/base64');
  const bytes = decode(Buffer.from(shown.data, 'base64'), Buffer.from(held));
  return Buffer.from(bytes).toString();
}

describe('differences', () => {
  it('make what was said, whatever it was', () => {
    const texts = fc.array(
      fc.oneof(fc.string({ maxLength: 200 }), fc.constantFrom('a'.repeat(300), 'b'.repeat(90))),
    );
    fc.assert(
      fc.property(texts, (said) => {
        const one = chain();
        let before: Shown | null = null;
        let held = '';
        for (const text of said) {
          const shown = shownBy(one, message(text));
          held = read(shown, before, held);
          expect(held).toBe(text);
          before = shown;
        }
      }),
    );
  });

  it('begin anew after what is no base, and where nothing of them was asked for', () => {
    const one = chain();
    const [text, isDelta] = ['x'.repeat(200), (shown: Shown) => shown.extras?.delta !== undefined];
    expect(isDelta(shownBy(one, message(text)))).toBe(false);
    expect(isDelta(shownBy(one, message(text)))).toBe(true);
    expect(isDelta(shownBy(one, message(text, { mayBeDelta: false })))).toBe(false);
    expect(isDelta(shownBy(one, message(text)))).toBe(false);
    expect(isDelta(shownBy(one, message('y'.repeat(70_000))))).toBe(false);
    expect(isDelta(shownBy(one, message(text)))).toBe(false);
    expect(isDelta(shownBy(one, message(text)))).toBe(true);
    expect(isDelta(shownBy(one.held, message(text)))).toBe(false);
    one.clear();
    expect(isDelta(shownBy(one, message(text)))).toBe(false);
  });

  it('begin anew after a summary, which clients take for their last message', () => {
    const one = chain();
    const text = 'x'.repeat(200);
    const isDelta = (): boolean => shownBy(one, message(text)).extras?.delta !== undefined;
    expect([isDelta(), isDelta()]).toEqual([false, true]);
    const about = { channel: 'c', messageSerial: 's' };
    new Frames({ kind: 'annotations_summarized', ...about, summaryText: '{}' }).of(one);
    expect([isDelta(), isDelta()]).toEqual([false, true]);
    new Frames({ kind: 'annotated', channel: 'c', annotationText: '{}' }).of(one);
    expect(isDelta()).toBe(true);
  });

  it('are nothing for who is told nothing', () => {
    const nobody = new CompatCodec({ format: 'json', channelText: null, modes: 0, filter: null }, uncounted);
    const entry = new DeltaEntry(nobody, () => nobody);
    const one = new DeltaChain({ stepped: nothing, left: nothing, meters }, nobody, entry);
    expect(new Frames(message('a')).of(one)).toBeNull();
    expect(one.baseId).toBeNull();
  });
});

describe('chains of a channel', () => {
  const share = new LoopShare();
  const derived = new CompatCodec(
    {
      format: 'json',
      channelText: '[filter]c',
      modes: MODE.SUBSCRIBE,
      filter: compileExpression("name == 'n'"),
    },
    uncounted,
    null,
    share,
  );

  /** Codecs that begin in one channel; some have waiting messages. */
  function scene() {
    const behind = new Set<Codec>();
    const merged: Codec[][] = [];
    const local = {
      about: { name: 'c', namespace: null },
      isBehind: (codec: Codec) => behind.has(codec),
      merge: (from: Codec, into: Codec) => void merged.push([from, into]),
    } as unknown as LocalChannel;
    const hub = { appId: 'shop', channels: new Map([['c', local]]) } as unknown as AppHub;
    const counter = { add: () => undefined, for: () => counter };
    const metrics = { counter: () => counter } as unknown as Metrics;
    const entry = new Deltas(metrics).entry(hub, local.about, derived);
    const begin = (): DeltaChain => {
      const begun = entry.live?.();
      if (!(begun instanceof DeltaChain)) throw new Error('no chain');
      return begun;
    };
    return { behind, merged, entry, begin };
  }

  it('take no new subscriber and are not merged while messages wait for them', () => {
    const { behind, merged, begin } = scene();
    const fresh = begin();
    expect(begin()).toBe(fresh);
    behind.add(fresh);
    const second = begin();
    expect(second).not.toBe(fresh);
    shownBy(second, message('a'));
    behind.add(second);
    const third = begin();
    shownBy(third, message('b'));
    const fourth = begin();
    expect([new Set([fresh, second, third, fourth]).size, merged]).toEqual([4, []]);
    shownBy(fourth, message('c'));
    begin();
    expect(merged).toEqual([[fourth, third]]);
    expect(third.baseId).toBeNull();
  });

  it('are at most sixteen, of which one takes a new subscriber behind what waits and is told in full', () => {
    const { behind, begin } = scene();
    const chains = new Set<DeltaChain>();
    for (let at = 0; at < 40; at += 1) {
      const chain = begin();
      chains.add(chain);
      shownBy(chain, message('x'.repeat(200)));
      behind.add(chain);
    }
    expect(chains.size).toBe(16);
    const joined = begin();
    expect(joined.baseId).not.toBeNull();
    joined.renew();
    expect(joined.baseId).toBeNull();
  });

  it('wait for the share of filters as the channel in full does', () => {
    const { entry, begin } = scene();
    const chain = begin();
    const frames = new Frames(message('a'));
    const deferred = (): unknown[] => [entry, chain, derived].map((codec) => codec.isDeferred?.(frames));
    expect(deferred()).toEqual([false, false, false]);
    vi.spyOn(share, 'isSpent', 'get').mockReturnValue(true);
    expect(deferred()).toEqual([true, true, true]);
    frames.of(derived);
    expect(deferred()).toEqual([false, false, false]);
  });
});
