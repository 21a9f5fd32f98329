import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Appends } from '../../src/codec.js';
import { AppendScene, codecOf, turn, type View, VIEWS } from './scene.js';

const pieces = (windowMs: number): Appends => ({ windowMs, wholes: false });
const wholes = (windowMs: number): Appends => ({ windowMs, wholes: true });

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('append' as const), name: fc.constantFrom('a', 'b', 'c') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('update', 'end', 'plain'),
      name: fc.constantFrom('a', 'b'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(60) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('lose' as const), name: fc.constantFrom('a', 'b') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('store' as const), isAway: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('hold', 'release', 'turn'), who: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      appends: fc.constantFrom(pieces(0), pieces(20), pieces(500), wholes(0), wholes(40)),
      views: fc.subarray([...VIEWS], { minLength: 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('enter', 'leave'),
      who: fc.nat(2),
      view: fc.constantFrom(...VIEWS),
    }),
  },
);

describe('appends', () => {
  it('come to the same text for everybody, at whatever pace, whatever was held back or lost, which is told once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const scene = new AppendScene({ onTrouble: () => undefined });
        scene.join(pieces(40));
        scene.join(wholes(500));
        let count = 0;
        for (const one of steps) {
          count += 1;
          if (one.kind === 'join') scene.join(one.appends, ...one.views);
          else if (one.kind === 'pass') scene.pass(one.ms);
          else if (one.kind === 'lose') scene.lose(one.name, `${count}-`);
          else if (one.kind === 'store') {
            scene.isAway = one.isAway;
            if (one.isAway) await vi.advanceTimersByTimeAsync(1000);
          } else if ('view' in one) {
            const reader = scene.readers[one.who];
            if (one.kind === 'enter') reader?.join(one.view);
            else reader?.leave(one.view);
          } else if ('who' in one) {
            const reader = scene.readers[one.who];
            if (one.kind === 'hold') reader?.hold();
            else if (one.kind === 'release') reader?.release();
            else await turn();
          } else if (one.kind === 'append') scene.tell('append', one.name, `${count}"`);
          else if (one.kind === 'end') scene.tell('append', one.name, `${count}.`, true);
          else scene.tell(one.kind === 'plain' ? 'plain' : 'update', one.name, `=${count} `);
        }
        for (const reader of scene.readers) reader.release();
        for (let turns = 0; turns < 20; turns += 1) {
          await turn();
          await vi.advanceTimersByTimeAsync(1000);
        }
        scene.hub.pacings.flush();
        for (const { texts, frames, gaps, isHearing } of scene.readers) {
          if (isHearing) expect(texts).toEqual(scene.texts);
          expect(new Set(gaps).size).toBe(gaps.length);
          const serials = frames.map(({ serial }) => serial).filter((serial) => serial !== null);
          expect(serials).toEqual([...serials].sort((first, second) => first - second));
          expect(new Set(serials).size).toBe(serials.length);
        }
        scene.wheel.stop();
      }),
      { numRuns: 200 },
    );
    vi.useRealTimers();
  });

  it('are held back for one window, and told together with the first serial of those', () => {
    const scene = new AppendScene();
    const [now, later] = [scene.join(pieces(0)), scene.join(pieces(40))];
    for (const data of ['a', 'b', 'c']) scene.tell('append', 'm', data);
    expect(now.frames).toHaveLength(3);
    expect(later.frames).toMatchObject([{ dataText: '"a"', serial: 1 }]);
    scene.pass(39);
    expect(later.frames).toHaveLength(1);
    scene.pass(10);
    expect(later.frames[1]).toMatchObject({
      dataText: '"bc"',
      serial: 3,
      extrasText: '{"headers":{"service_message_serial":"m","service_rollup_from_serial":2}}',
    });
    expect(scene.wheel.size).toBe(0);
  });

  it('come by a pattern as they do by the channel, made and read once for both', async () => {
    const scene = new AppendScene();
    for (const wanted of [pieces(40), wholes(0)]) {
      const readers = [['ai-x'], ['ai-*'], ['ai-x', '*-x']].map((views) =>
        scene.join(wanted, ...(views as View[])),
      );
      const made = vi.spyOn(codecOf(wanted), 'encode');
      for (const data of ['a', 'b', 'c']) scene.tell('append', 'm', data);
      await turn();
      await turn();
      scene.pass(100);
      const [exact, ...fitting] = readers.map(({ frames }) => frames);
      expect(exact).toHaveLength(wanted.wholes ? 3 : 2);
      for (const frames of fitting) expect(frames).toEqual(exact);
      expect(made).toHaveBeenCalledTimes(exact?.length ?? 0);
    }
    expect(scene.reads).toBe(1);
  });

  it('come by a pattern when nobody has the channel itself, and leave nothing behind with the last pattern', () => {
    const scene = new AppendScene();
    const later = scene.join(pieces(40), 'ai-*');
    expect(scene.hub.channels.size).toBe(0);
    for (const data of ['a', 'b', 'c']) scene.tell('append', 'm', data);
    expect(later.frames).toMatchObject([{ dataText: '"a"' }]);
    scene.pass(50);
    expect(later.frames).toMatchObject([{ dataText: '"a"' }, { dataText: '"bc"' }]);
    later.leave('ai-*');
    expect(scene.hub.pacings.of('ai-x')).toBe(null);
  });

  it('that are held back come by the pattern to whoever takes the channel itself then, and to nobody who comes later', () => {
    const scene = new AppendScene();
    const [fitting, late] = [scene.join(pieces(40), 'ai-*'), scene.join(pieces(40), '*-x')];
    late.leave('*-x');
    for (const data of ['a', 'b']) scene.tell('append', 'm', data);
    late.join('*-x');
    for (const data of ['c', 'd']) scene.tell('append', 'm', data);
    fitting.join('ai-x');
    for (const data of ['e', 'f']) scene.tell('append', 'm', data);
    fitting.leave('ai-x');
    scene.pass(50);
    expect(fitting.texts.get('m')).toBe('abcdef');
    expect(late.texts.get('m')).toBe('abcdef');
    expect(late.frames.map(({ dataText }) => dataText).join('')).toBe('"c""d""e""f"');
  });

  it('of an answer that has ended come at once, behind what was held back', () => {
    const scene = new AppendScene();
    const later = scene.join(pieces(40));
    for (const data of ['a', 'b']) scene.tell('append', 'm', data);
    scene.tell('append', 'm', '.', true);
    expect(later.frames.map(({ dataText, serial }) => [dataText, serial])).toEqual([
      ['"a"', 1],
      ['"b"', null],
      ['"."', 3],
    ]);
  });

  it('never come together with what somebody has seen in another way', () => {
    const scene = new AppendScene();
    const later = scene.join(pieces(40));
    for (const data of ['a', 'b']) scene.tell('append', 'm', data);
    // The history page contains messages that have not been delivered here yet.
    scene.channel.seen(4);
    for (const data of ['c', 'd', 'e', 'f', 'g']) scene.tell('append', 'm', data);
    scene.pass(50);
    expect(later.frames.map(({ dataText, serial }) => [dataText, serial])).toEqual([
      ['"a"', 1],
      ['"b"', 2],
      ['"c"', 3],
      ['"d"', 4],
      ['"e"', 5],
      ['"fg"', 7],
    ]);
  });

  it('are read once for whoever wants the whole text, and left out when it cannot be read', async () => {
    const troubles: string[] = [];
    const scene = new AppendScene();
    scene.texts.set('m', 'old ');
    const whole = scene.join(wholes(0));
    for (const data of ['a', 'b']) scene.tell('append', 'm', data);
    expect(whole.frames).toEqual([]);
    await turn();
    await turn();
    expect(scene.reads).toBe(1);
    expect(whole.frames.map(({ dataText }) => dataText)).toEqual(['"old a"', '"old ab"']);
    scene.tell('append', 'm', 'c');
    expect(whole.frames.at(-1)?.dataText).toBe('"old abc"');
    const lost = new AppendScene({
      text: async () => null,
      onTrouble: (what) => void troubles.push(what),
    });
    const nothing = lost.join(wholes(0));
    lost.tell('append', 'm', 'a');
    lost.tell('plain', 'm', 'x');
    await turn();
    lost.tell('update', 'm', 'all');
    lost.tell('append', 'm', '!');
    expect(nothing.frames.map(({ dataText }) => dataText)).toEqual(['"x"', '"all"', '"all!"']);
    expect(troubles).toEqual([]);
  });

  it('that cannot be read are told as a gap to whoever wants the whole text, and to nobody else', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const troubles: string[] = [];
    let isAway = true;
    const scene = new AppendScene({
      text: async () => {
        if (isAway) throw new Error('the store is away');
        return { inner: 'abc', serial: 3 };
      },
      onTrouble: (what) => void troubles.push(what),
    });
    const views: View[][] = [['ai-x'], ['ai-*'], ['ai-x', 'ai-*', '*-x']];
    const [whole, piece] = [wholes(0), pieces(0)].map((wanted) =>
      views.map((of) => scene.join(wanted, ...of)),
    );
    for (const data of ['a', 'b']) scene.tell('append', 'm', data);
    await vi.advanceTimersByTimeAsync(1000);
    isAway = false;
    scene.tell('append', 'm', 'c');
    await turn();
    vi.useRealTimers();
    expect(troubles).toHaveLength(3);
    for (const { frames, gaps } of whole ?? []) {
      expect(gaps).toEqual([0]);
      expect(frames).toMatchObject([{ dataText: '"abc"', serial: 3 }]);
    }
    for (const { frames, gaps } of piece ?? []) {
      expect(gaps).toEqual([]);
      expect(frames.map(({ dataText }) => dataText)).toEqual(['"a"', '"b"', '"c"']);
    }
  });

  it('are whole again after a piece that never came, by the channel and by patterns alone', async () => {
    const scene = new AppendScene();
    scene.texts.set('m', 'old ');
    const readers = [scene.join(wholes(0), 'ai-*'), scene.join(wholes(40), '*-x')];
    scene.tell('append', 'm', 'a');
    await turn();
    await turn();
    // The text exceeds the cache of a channel subscribed by pattern only.
    expect(scene.reads).toBe(1);
    scene.lose('m', 'b');
    scene.tell('append', 'm', 'c');
    await turn();
    await turn();
    scene.pass(50);
    for (const { frames, gaps } of readers) {
      expect(gaps).toEqual([1]);
      expect(frames.map(({ dataText }) => dataText)).toEqual(['"old a"', '"old abc"']);
    }
    expect(scene.hub.channels.size).toBe(0);
  });
});
