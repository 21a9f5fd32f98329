import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PendingFrames } from '../../src/channels/pending-frames.js';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import type { Codec, Frames } from '../../src/codec.js';
import { message } from '../samples.js';
import { BOUNDS, FILTER_MS, LONGEST_MS, scene } from './deferred-scene.js';

const LATER = 200;
const FILTERS = 3;

/** Filters by number: each accepts other events. */
const accepts = (filter: number, event: string): boolean => Number(event) % (filter + 2) !== 0;

/** Stateful codecs, like those of deltas: a frame names the preceding event, or none for the first. */
class Chains {
  readonly #chains = new Set<Chain>();
  readonly #entries: readonly Codec[];

  constructor(
    private readonly channel: LocalChannel,
    readonly filters: readonly Codec[],
    private readonly mostChains: number,
  ) {
    this.#entries = filters.map((full, at) => ({
      encode: (_, frames) => frames.of(full),
      isDeferred: (frames) => full.isDeferred?.(frames) === true,
      live: () => this.#begin(at),
    }));
  }

  entry(filter: number): Codec {
    return this.#entries[filter] as Codec;
  }

  get size(): number {
    return this.#chains.size;
  }

  #begin(filter: number): Chain {
    const alike = [...this.#chains].filter((one) => one.filter === filter);
    const ready = alike.filter((one) => !this.channel.isBehind(one));
    const [first, ...others] = ready.filter(({ last }) => last !== '');
    for (const other of others) {
      if (first === undefined) break;
      if (first.last !== other.last) first.renew();
      this.channel.merge(other, first);
    }
    const fresh = ready.find(({ last }) => last === '');
    if (fresh !== undefined) return fresh;
    if (alike.length >= this.mostChains) {
      first?.renew();
      return first ?? (alike[0] as Chain);
    }
    const chain = new Chain(filter, this.filters[filter] as Codec, this.entry(filter), () =>
      this.#chains.delete(chain),
    );
    this.#chains.add(chain);
    return chain;
  }
}

class Chain implements Codec {
  last = '';

  constructor(
    readonly filter: number,
    private readonly full: Codec,
    readonly held: Codec,
    readonly left: () => void,
  ) {}

  isDeferred(frames: Frames): boolean {
    return this.full.isDeferred?.(frames) === true;
  }

  renew(): void {
    this.last = '';
  }

  encode(_: unknown, frames: Frames): string | null {
    const event = frames.of(this.full);
    if (event === null) return null;
    const frame = `${this.last}>${String(event)}`;
    this.last = String(event);
    return frame;
  }
}

/** Events as decoded by a client; fails if one does not follow the event before it. */
function decoded(sent: readonly string[]): readonly string[] {
  let held: string | null = null;
  return sent.map((frame) => {
    const [before, event] = frame.split('>');
    if (event === undefined) return frame;
    if (before !== '') expect(before).toBe(held);
    held = event;
    return event;
  });
}

/** State of a client of a random program, with its expected messages. */
class Program {
  readonly scene = scene();
  readonly filters = Array.from({ length: FILTERS }, (_, at) =>
    this.scene.filter((event) => accepts(at, event)),
  );
  readonly chains: Chains;
  readonly clients = Array.from({ length: 4 }, (_, at) => ({
    ...this.scene.connect(`1.${at}`),
    filter: null as number | null,
    hasDeltas: false,
    gate: null as PendingFrames | null,
    isReleasing: false,
    expected: [] as string[],
  }));
  #events = 0;

  constructor(mostChains: number) {
    this.chains = new Chains(this.scene.channel, this.filters, mostChains);
  }

  codec(filter: number, hasDeltas: boolean): Codec {
    return hasDeltas ? this.chains.entry(filter) : (this.filters[filter] as Codec);
  }

  async step({ kind, at, filter, hasDeltas }: Step): Promise<void> {
    const { channel, outlet, turn } = this.scene;
    const client = this.clients[at];
    if (client === undefined) return;
    const { subscriber } = client;
    if (kind === 'turn') return turn();
    if (kind === 'publish' || kind === 'publishExcept') return this.#publish(kind === 'publish' ? null : at);
    if (client.isReleasing) return;
    const codec = this.codec(filter, hasDeltas);
    if (client.filter === null) {
      if (kind !== 'join') return;
      channel.add(subscriber, null, codec);
      channel.open(subscriber);
      Object.assign(client, { filter, hasDeltas });
    } else if (kind === 'leave' && client.gate === null) {
      // Messages that wait for a filter are not sent after the subscriber left.
      const sent = decoded(client.sent);
      expect(client.expected.slice(0, sent.length)).toEqual(sent);
      client.expected = [...sent];
      channel.remove(subscriber);
      client.filter = null;
    } else if (kind === 'join' && client.gate === null) {
      channel.renew(subscriber, codec);
      Object.assign(client, { filter, hasDeltas });
    } else if (kind === 'hold' && client.gate === null) {
      client.gate = new PendingFrames(subscriber, outlet, codec);
      channel.hold(client.gate);
      Object.assign(client, { filter, hasDeltas });
    } else if (kind === 'release' && client.gate !== null) {
      channel.recode(subscriber, this.codec(client.filter, client.hasDeltas));
      client.isReleasing = true;
      const released = channel.release(client.gate);
      if (released === undefined) Object.assign(client, { gate: null, isReleasing: false });
      else void released.then(() => Object.assign(client, { gate: null, isReleasing: false }));
    }
  }

  #publish(except: number | null): void {
    this.#events += 1;
    const event = String(this.#events);
    for (const [at, { filter, expected }] of this.clients.entries())
      if (filter !== null && at !== except && accepts(filter, event)) expected.push(event);
    const sender = except === null ? null : (this.clients[except]?.subscriber.id ?? null);
    this.scene.channel.deliver(message({ event, messageId: event }), sender);
  }
}

interface Step {
  readonly kind: 'hold' | 'join' | 'leave' | 'publish' | 'publishExcept' | 'release' | 'turn';
  readonly at: number;
  readonly filter: number;
  readonly hasDeltas: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...(['hold', 'join', 'join', 'leave', 'publish', 'publish', 'publish', 'publishExcept'] as const),
    ...(['release', 'turn'] as const),
  ),
  at: fc.nat({ max: 3 }),
  filter: fc.nat({ max: FILTERS - 1 }),
  hasDeltas: fc.boolean(),
});

describe('subscribers while messages wait for filters', () => {
  it('each receive what their filter accepts, once and in order, whoever joins, is held back or changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60, size: 'max' }),
        fc.constantFrom(1, 3),
        async (steps, most) => {
          const program = new Program(most);
          const { channel, share, turn, evaluated } = program.scene;
          for (const one of steps) {
            const before = evaluated();
            await program.step(one);
            expect((evaluated() - before) * FILTER_MS).toBeLessThanOrEqual(LONGEST_MS);
          }
          for (const at of program.clients.keys())
            await program.step({ kind: 'release', at, filter: 0, hasDeltas: false });
          for (let turns = 0; turns < 20 * LATER && share.waitingApps > 0; turns += 1) await turn();
          for (const { sent, expected, subscriber } of program.clients) {
            expect(decoded(sent)).toEqual(expected);
            expect(subscriber.isOpen).toBe(true);
          }
          for (const { subscriber } of program.clients) channel.remove(subscriber);
          expect([[...channel.audiences], program.chains.size]).toEqual([[], 0]);
        },
      ),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it('close nobody when others subscribe to the same filter again and again', async () => {
    const { channel, filter, join, deliver, turn } = scene();
    const shared = filter();
    for (let other = 0; other < 3; other += 1) join(`0.${other}`, filter());
    const first = join('1.1', shared);
    const events = Array.from({ length: 40 }, (_, at) => `m${at}`);
    deliver(...events);
    const others = Array.from({ length: 100 }, (_, at) => {
      const other = join(`2.${at}`, shared);
      if (at % 2 === 0) channel.remove(other.subscriber);
      return other;
    });
    deliver('last');
    for (let turns = 0; turns < LATER; turns += 1) await turn();
    expect(first.sent).toEqual([...events, 'last']);
    expect(others.map(({ sent }) => sent)).toEqual(others.map((_, at) => (at % 2 === 0 ? [] : ['last'])));
    expect([first, ...others].every(({ subscriber }) => subscriber.isOpen)).toBe(true);
  });

  it('receive behind one gate while another one that was given up still stands', async () => {
    const { channel, outlet, filter, join, deliver, turn } = scene();
    const codec = filter();
    const { subscriber, sent } = join('1.1', codec);
    for (let other = 0; other < 3; other += 1) join(`0.${other}`, filter());
    deliver('a', 'b');
    const givenUp = new PendingFrames(subscriber, outlet, codec);
    channel.hold(givenUp);
    const gate = new PendingFrames(subscriber, outlet, codec);
    channel.hold(gate);
    deliver('c');
    const released = Promise.all([givenUp.catchUp(), channel.release(gate)]);
    for (let turns = 0; turns < LATER; turns += 1) await turn();
    await released;
    deliver('d');
    channel.forget(givenUp);
    deliver('e');
    for (let turns = 0; turns < LATER; turns += 1) await turn();
    expect(sent).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are evaluated nothing for when all of them have left', async () => {
    const { channel, filter, join, deliver, turn, evaluated } = scene();
    for (let other = 0; other < 3; other += 1) join(`0.${other}`, filter());
    const one = join('1.1', filter());
    deliver('a', 'b', 'c', 'd');
    const all = Array.from(channel.audiences).flatMap(({ subscribers }) => Array.from(subscribers));
    for (const subscriber of all) channel.remove(subscriber);
    const before = [evaluated(), ...one.sent];
    for (let turns = 0; turns < LATER; turns += 1) await turn();
    expect([evaluated(), ...one.sent]).toEqual(before);
  });

  it('are told in full again when one begins behind messages that wait for all codecs that remember', async () => {
    const { channel, filter, join, deliver, turn } = scene();
    const chains = new Chains(channel, [filter()], 1);
    const first = join('1.1', chains.entry(0));
    deliver('a', 'b');
    for (let other = 0; other < 3; other += 1) join(`0.${other}`, filter());
    deliver('c', 'd');
    const second = join('1.2', chains.entry(0));
    deliver('e', 'f');
    for (let turns = 0; turns < LATER; turns += 1) await turn();
    expect(first.sent).toEqual(['>a', 'a>b', 'b>c', 'c>d', '>e', 'e>f']);
    expect([second.sent, chains.size]).toEqual([['>e', 'e>f'], 1]);
  });

  it('are evaluated within the share while gates hold them back, and each gets everything once', async () => {
    const { channel, outlet, filter, join, deliver, turn, evaluated } = scene();
    const held = Array.from({ length: 20 }, (_, at) => {
      const codec = filter();
      const joined = join(`1.${at}`, codec);
      const gate = new PendingFrames(joined.subscriber, outlet, codec);
      channel.hold(gate);
      return { ...joined, gate };
    });
    const events = ['a', 'b', 'c'];
    deliver(...events);
    let before = 0;
    const expectBounded = (): void => {
      expect((evaluated() - before) * FILTER_MS).toBeLessThanOrEqual(LONGEST_MS);
      before = evaluated();
    };
    expectBounded();
    const released = Promise.all(held.map(async ({ gate }) => channel.release(gate)));
    for (let turns = 0; turns < LATER; turns += 1) {
      await turn();
      expectBounded();
    }
    await released;
    expect(held.map(({ sent }) => sent)).toEqual(held.map(() => events));
  });

  it('are closed when more waits in their gate than their bounds allow, and nobody else is', async () => {
    const { channel, outlet, filter, join, deliver, turn } = scene({ ...BOUNDS, maxFrames: 20 });
    const shared = filter();
    const first = join('1.1', shared);
    for (let other = 0; other < 3; other += 1) join(`0.${other}`, filter());
    const second = join('1.2', shared);
    const gate = new PendingFrames(second.subscriber, outlet, shared);
    channel.hold(gate);
    const events = Array.from({ length: 30 }, (_, at) => `m${at}`);
    deliver(...events);
    expect([second.subscriber.endedFor, first.subscriber.isOpen]).toEqual(['over_capacity', true]);
    const released = channel.release(gate);
    for (let turns = 0; turns < LATER; turns += 1) await turn();
    await released;
    expect([first.sent, second.sent]).toEqual([events, ['failed']]);
  });
});
