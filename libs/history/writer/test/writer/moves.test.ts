import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverOf } from '../../src/index.js';
import { FAIR, type Weather } from './hub.js';
import { LANES, type Process, WriterScene } from './scene.js';

const CHANNELS = Array.from({ length: 12 }, (_, index) => `c-${index}`);
/** Long enough for everything to come to rest. */
const REST_MS = 12_000;

type Action =
  | { readonly do: 'kill' | 'leave'; readonly which: number }
  | { readonly do: 'publish'; readonly channel: number; readonly times: number }
  | { readonly do: 'start' }
  | { readonly do: 'wait'; readonly ms: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('start' as const) }),
  fc.record({ do: fc.constantFrom('kill' as const, 'leave' as const), which: fc.nat(3) }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      channel: fc.nat(CHANNELS.length - 1),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1500 }) }),
  },
);

/** Messages that are late, lost and doubled. */
const weather: fc.Arbitrary<Weather> = fc.infiniteStream(fc.nat(99)).map((numbers) => {
  const next = (): number => numbers.next().value ?? 0;
  return {
    delayMs: () => (next() < 70 ? 0 : next()),
    copies: () => (next() < 10 ? 0 : next() < 20 ? 2 : 1),
  };
});

async function run(scene: WriterScene, actions: readonly Action[]): Promise<Process[]> {
  const running: Process[] = [scene.start()];
  for (const one of actions) {
    if (one.do === 'start' && running.length < 4) running.push(scene.start());
    if (one.do === 'wait') await scene.clock.pass(one.ms);
    if (one.do === 'publish')
      for (let time = 0; time < one.times; time += 1) scene.publish(CHANNELS[one.channel] ?? '');
    // At least one writer remains, so that every publish eventually succeeds.
    if ((one.do === 'kill' || one.do === 'leave') && running.length > 1) {
      const [gone] = running.splice(one.which % running.length, 1);
      if (one.do === 'kill') gone?.kill();
      else void gone?.writer.leave();
    }
  }
  return running;
}

/** Invariants after every sequence of moves. */
async function check(scene: WriterScene, running: readonly Process[]): Promise<void> {
  expect(scene.serversByLane()).toEqual(Array(LANES).fill(1));
  const ids = running.map(({ writerId }) => writerId);
  for (const { writer, writerId } of running)
    for (const lane of writer.serving) expect(serverOf(lane, ids)).toBe(writerId);
  for (const [channel, sent] of scene.sent) {
    const stored = await scene.stored(channel);
    expect(stored.map(({ serial }) => serial)).toEqual(stored.map((_, index) => index + 1));
    const data = stored.map(({ data: one }) => one);
    expect(data).toEqual([...new Set(data)].sort((one, other) => one - other));
    for (const [index, pubId] of sent.entries()) {
      const result = scene.results.get(pubId);
      expect(result).toBeDefined();
      if (result?.status !== 'applied') expect(result).toMatchObject({ code: 'service_unavailable' });
      else expect(stored).toContainEqual({ serial: result.delivery_serial, data: index });
    }
    const seen = new Set(
      scene.hub.handedOver.filter((one) => one.channel === channel).map(({ serial }) => serial),
    );
    expect([...seen].sort((one, other) => Number(one) - Number(other))).toEqual(
      stored.map(({ serial }) => serial),
    );
  }
}

describe('writers that come and go', { timeout: 120_000 }, () => {
  it('serve every lane once in the end, and store what they accepted once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), weather, async (actions, sky) => {
        const scene = new WriterScene();
        scene.hub.weather = sky;
        const running = await run(scene, actions);
        await scene.clock.pass(REST_MS);
        scene.hub.weather = FAIR;
        await scene.clock.pass(REST_MS);
        await check(scene, running);
      }),
      { numRuns: 25 },
    );
  });

  it('leave no hole when a move is planned: nobody has to ask twice', async () => {
    const scene = new WriterScene();
    const first = scene.start();
    await scene.clock.pass(1500);
    const publishing = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 20) {
        for (const channel of CHANNELS) scene.publish(channel);
        expect(Math.min(...scene.serversByLane())).toBeGreaterThan(0);
        await scene.clock.pass(20);
      }
    };
    await publishing(500);
    const second = scene.start();
    await publishing(3000);
    expect(second.writer.serving.length).toBeGreaterThan(0);
    const leaving = first.writer.leave();
    await publishing(1000);
    await leaving;
    await scene.clock.pass(3000);
    expect(scene.resent).toEqual([]);
    expect(second.lines).not.toContain('buried w-1');
    expect([...scene.results.values()].filter(({ status }) => status !== 'applied')).toEqual([]);
    expect(second.writer.serving).toHaveLength(LANES);
    expect(first.writer.serving).toEqual([]);
    await check(scene, [second]);
  });

  it('take the lanes of a dead one before anybody is refused', async () => {
    const scene = new WriterScene();
    const [first, second] = [scene.start(), scene.start()];
    await scene.clock.pass(4000);
    expect(first.writer.serving.length + second.writer.serving.length).toBe(LANES);
    first.kill();
    for (const channel of CHANNELS) scene.publish(channel);
    await scene.clock.pass(2600);
    expect(second.writer.serving).toHaveLength(LANES);
    expect(second.lines).toContain('buried w-1');
    await scene.clock.pass(1000);
    expect([...scene.results.values()].map(({ status }) => status)).toEqual(CHANNELS.map(() => 'applied'));
  });

  it('send again what a dead one committed and did not hand over', async () => {
    const scene = new WriterScene();
    const [first, second] = [scene.start(), scene.start()];
    await scene.clock.pass(4000);
    first.end.handOver = () => new Promise(() => {});
    for (const channel of CHANNELS) scene.publish(channel);
    await scene.clock.pass(100);
    first.kill();
    await scene.clock.pass(4000);
    await check(scene, [second]);
    expect(scene.hub.handedOver.some(({ resent }) => resent === true)).toBe(true);
  });

  it('try again when the broker refuses an address', async () => {
    const scene = new WriterScene();
    const { end, lines, writer } = scene.start();
    end.refusals = 3;
    await scene.clock.pass(2500);
    expect(writer.serving).toHaveLength(LANES);
    expect(lines).toContain('failed to take');
  });
});
