import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LaneClient } from './lane-client.js';
import { LaneScene, type Setup } from './lane-scene.js';

const CHANNELS = ['a', 'b', 'c'];

const channel = fc.constantFrom(...CHANNELS);
const who = fc.nat(1);
/** Sizes of the order of the bounds, occasionally above the largest bound. */
const size = fc.oneof(
  { weight: 5, arbitrary: fc.nat(90) },
  { weight: 1, arbitrary: fc.integer({ min: 91, max: 700 }) },
);

const ofChannel = <Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), who, channel });

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      channel,
      size,
      times: fc.integer({ min: 1, max: 6 }),
      except: fc.option(who, { freq: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('send' as const), who, size }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      who,
      share: fc.constantFrom(0.2, 0.5, 0.8, 1),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
  { weight: 3, arbitrary: ofChannel('subscribe') },
  { weight: 2, arbitrary: ofChannel('unsubscribe') },
  { weight: 1, arbitrary: ofChannel('hold') },
  { weight: 2, arbitrary: ofChannel('release') },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), who }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const setup = fc
  .record({
    maxFrames: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 8 }) }, fc.constant(Infinity)),
    maxBytes: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 300 }) }, fc.constant(Infinity)),
    slowBytes: fc.integer({ min: 1, max: 100 }),
    disconnects: fc.boolean(),
    slackBytes: fc.integer({ min: 101, max: 600 }),
    roomBytes: fc.nat(100),
  })
  .map(({ slackBytes, roomBytes, ...bounds }): Setup => ({
    bounds: { ...bounds, slowBytes: Math.min(bounds.slowBytes, bounds.maxBytes) },
    slackBytes,
    roomBytes,
  }));

/** Executes steps in order, and checks all clients after each. */
class Play {
  readonly scene: LaneScene;
  #next = 0;

  constructor(about: Setup) {
    this.scene = new LaneScene(about);
  }

  do(one: Step): void {
    const { scene } = this;
    if (one.kind === 'publish') {
      const except = one.except === null ? undefined : scene.clients[one.except];
      for (let time = 0; time < one.times; time += 1)
        scene.publish(one.channel, this.#text(one.size), except);
    } else if (one.kind === 'turn') scene.turn();
    else if (one.kind === 'send') scene.clients[one.who]?.send(this.#text(one.size));
    else if (one.kind === 'read') this.#read(scene.clients[one.who], one.share);
    else if (one.kind === 'close') scene.clients[one.who]?.close();
    else scene.clients[one.who]?.[one.kind](one.channel);
    vi.runAllTimers();
    for (const client of scene.clients) client.check();
    const given = scene.clients.reduce((sum, { native }) => sum + native.givenCount, 0);
    expect(scene.sentCount).toBe(given);
  }

  /** The client reads a share of its buffered bytes. */
  #read(client: LaneClient | undefined, share: number): void {
    client?.native.read(Math.ceil(client.native.getBufferedAmount() * share));
  }

  /** All clients read everything. */
  end(): void {
    for (const one of CHANNELS) for (const client of this.scene.clients) client.release(one);
    this.scene.turn();
    vi.runAllTimers();
    for (const client of this.scene.clients) {
      client.native.read(1_000_000);
      client.checkEnd();
    }
  }

  /** Unique, so that duplicated and late frames are detected. */
  #text(length: number): string {
    this.#next += 1;
    return `${this.#next}:${'é'.repeat(length % 5)}${'x'.repeat(length)}`;
  }
}

/** One client with a channel, slow from 100 unsent bytes on, with a queue limit of 200. */
function slowClient(disconnects: boolean): { scene: LaneScene; client: LaneClient } {
  const bounds = { maxFrames: 2, maxBytes: 200, slowBytes: 100, disconnects };
  const scene = new LaneScene({ bounds, slackBytes: 200, roomBytes: 0 });
  const [client] = scene.clients;
  if (client === undefined) throw new Error('no client');
  client.subscribe('a');
  client.send('1'.repeat(150));
  return { scene, client };
}

describe('a client that falls behind and catches up', () => {
  // Work deferred to the next turn of the loop runs after each step.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setImmediate'] }));
  afterEach(() => void vi.useRealTimers());

  it('gets everything once and in order, or is told apart exactly: dropped, or closed with 4100', () => {
    fc.assert(
      fc.property(setup, fc.array(step, { maxLength: 80 }), (about, steps) => {
        const play = new Play(about);
        for (const name of CHANNELS.slice(0, 2))
          for (const client of play.scene.clients) client.subscribe(name);
        for (const one of steps) play.do(one);
        play.end();
        expect(play.scene.clients).toHaveLength(2);
      }),
      { numRuns: 500 },
    );
  });

  it('is not sent a frame that counts as dropped', () => {
    const { client } = slowClient(false);
    client.native.read(100);
    expect(client.subscriber.lane).not.toBeNull();
    const tooLarge = '2'.repeat(151);
    client.send(tooLarge);
    expect([client.handed.includes(tooLarge), client.droppedCount]).toEqual([false, 1]);
    const fits = '3'.repeat(150);
    client.send(fits);
    expect([client.handed.includes(fits), client.droppedCount]).toEqual([true, 1]);
  });

  it.each(['frames', 'bytes'] as const)(
    'is closed by the first that goes beyond the bound of %s',
    (which) => {
      const { client } = slowClient(true);
      const [size, beyond] = which === 'frames' ? [1, 1] : [25, 1];
      client.send('2'.repeat(size));
      client.send('3'.repeat(size));
      expect(client.isOpen).toBe(true);
      client.send('4'.repeat(beyond));
      expect(client.native.closeCode).toBe(4100);
    },
  );

  it('counts as sent what it was given, whoever is left out or held back', () => {
    const { scene, client } = slowClient(false);
    const [, other] = scene.clients;
    other?.subscribe('a');
    scene.publish('a', 'for the other', client);
    expect(scene.sentCount).toBe(2);
    other?.hold('a');
    scene.publish('a', 'for nobody yet', client);
    expect(scene.sentCount).toBe(2);
    other?.release('a');
    expect(scene.sentCount).toBe(3);
  });
});
