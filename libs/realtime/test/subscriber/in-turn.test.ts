import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Subscriber } from '../../src/subscriber/subscriber.js';
import { inTurn } from '../../src/subscriber/in-turn.js';
import { CODEC, EDGE, hub } from '../samples.js';

class OpenSubscriber extends Subscriber {
  open = true;
  override get isOpen(): boolean {
    return this.open;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const home = hub();

/** Tasks that complete on request, with the started and completed ones. */
class Scene {
  readonly subscriber = new OpenSubscriber('1.1', home, EDGE, CODEC);
  readonly log: string[] = [];
  readonly trouble: unknown[] = [];
  readonly #ends = new Map<string, { end: () => void; fail: (error: Error) => void }>();

  /** Starts an asynchronous task. */
  waits(subject: string, name: string): boolean {
    return this.run(subject, () => {
      this.log.push(`${name} begins`);
      return new Promise<void>((resolve, reject) => {
        this.#ends.set(name, { end: resolve, fail: reject });
      }).finally(() => this.log.push(`${name} ends`));
    });
  }

  /** Runs a synchronous task. */
  instant(subject: string, name: string): boolean {
    return this.run(subject, () => void this.log.push(name));
  }

  run(subject: string, work: () => Promise<void> | undefined): boolean {
    return inTurn(this.subscriber, subject, work, (_, error) => void this.trouble.push(error));
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.end();
    await turn();
  }

  async fail(name: string): Promise<void> {
    this.#ends.get(name)?.fail(new Error(name));
    await turn();
  }
}

describe('requests of one subscriber', () => {
  it('are done at once, without a trace, when nothing waits', () => {
    const scene = new Scene();
    expect([scene.instant('a', '1'), scene.instant('a', '2')]).toEqual([true, true]);
    expect([scene.log, scene.subscriber.openings]).toEqual([['1', '2'], null]);
  });

  it('wait behind one about the same subject, and for nothing else', async () => {
    const scene = new Scene();
    scene.waits('a', 'a1');
    scene.instant('a', 'a2');
    scene.waits('a', 'a3');
    scene.instant('a', 'a4');
    scene.instant('b', 'b1');
    scene.waits('b', 'b2');
    expect(scene.log).toEqual(['a1 begins', 'b1', 'b2 begins']);
    await scene.end('b2');
    await scene.end('a1');
    expect(scene.log.slice(3)).toEqual(['b2 ends', 'a1 ends', 'a2', 'a3 begins']);
    await scene.end('a3');
    expect(scene.log.slice(7)).toEqual(['a3 ends', 'a4']);
    expect(scene.subscriber.openings).toBeNull();
  });

  it('go on after one that fails, at once or later, and say so', async () => {
    const scene = new Scene();
    scene.waits('a', 'a1');
    scene.run('a', () => {
      throw new Error('at once');
    });
    scene.waits('a', 'a2');
    scene.instant('a', 'a3');
    await scene.fail('a1');
    expect(scene.log).toEqual(['a1 begins', 'a1 ends', 'a2 begins']);
    await scene.fail('a2');
    expect(scene.log.slice(3)).toEqual(['a2 ends', 'a3']);
    expect(scene.trouble.map(String)).toEqual(['Error: a1', 'Error: at once', 'Error: a2']);
    expect(scene.subscriber.openings).toBeNull();
    scene.instant('a', 'a4');
    expect(scene.log.at(-1)).toBe('a4');
  });

  it('are not begun any more once the subscriber has ended', async () => {
    const scene = new Scene();
    scene.waits('a', 'a1');
    scene.instant('a', 'a2');
    scene.waits('a', 'a3');
    scene.subscriber.open = false;
    await scene.end('a1');
    expect(scene.log).toEqual(['a1 begins', 'a1 ends']);
    expect(scene.subscriber.openings).toBeNull();
  });

  it('are refused when 4096 wait, be it for the same subject or for several', async () => {
    const scene = new Scene();
    for (const subject of ['a', 'b']) scene.waits(subject, subject);
    for (let index = 0; index < 4095; index += 1) expect(scene.instant('a', `${index}`)).toBe(true);
    expect(scene.instant('b', 'the last')).toBe(true);
    for (const subject of ['a', 'b']) expect(scene.instant(subject, 'one too many')).toBe(false);
    expect(scene.instant('c', 'another')).toBe(true);
    await scene.end('a');
    expect(scene.log).toHaveLength(4099);
    expect(scene.log).not.toContain('one too many');
    for (let index = 0; index < 4095; index += 1) expect(scene.instant('b', `${index}`)).toBe(true);
    expect(scene.instant('b', 'one too many')).toBe(false);
    await scene.end('b');
    expect(scene.instant('b', 'again')).toBe(true);
  });

  it('are refused when 4096 subjects wait', async () => {
    const scene = new Scene();
    for (let index = 0; index < 4096; index += 1) expect(scene.waits(`${index}`, `${index}`)).toBe(true);
    expect(scene.instant('new', 'new')).toBe(false);
    expect(scene.instant('7', 'behind')).toBe(true);
    await scene.end('3');
    expect(scene.instant('new', 'new')).toBe(true);
  });

  it('are done in the order they came, each once, for each subject, whatever waits and fails', async () => {
    const step = fc.tuple(
      fc.constantFrom('instant' as const, 'waits' as const, 'end' as const, 'fail' as const),
      fc.constantFrom('a', 'b', 'c'),
      fc.nat(20),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (program) => {
        const scene = new Scene();
        const came = new Map<string, string[]>(['a', 'b', 'c'].map((subject) => [subject, []]));
        for (const [index, [kind, subject, which]] of program.entries()) {
          if (kind === 'end' || kind === 'fail') await scene[kind](`${subject}${which}`);
          else {
            const name = `${subject}${index}`;
            came.get(subject)?.push(name);
            scene[kind](subject, name);
          }
        }
        while (scene.subscriber.openings !== null) {
          for (const names of came.values()) for (const name of names) await scene.end(name);
        }
        for (const [subject, names] of came) {
          const begun = scene.log.filter((line) => line.startsWith(subject) && !line.endsWith('ends'));
          expect(begun.map((line) => line.replace(' begins', ''))).toEqual(names);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are refused when the weight of those that wait is too large, and wait again when it has become less', async () => {
    const scene = new Scene();
    const queue = (weight: number): boolean =>
      inTurn(
        scene.subscriber,
        'a',
        () => undefined,
        () => undefined,
        undefined,
        weight,
      );
    scene.waits('a', 'first');
    expect([queue(4000), queue(97), queue(96), queue(1)]).toEqual([true, false, true, false]);
    await scene.end('first');
    expect(scene.subscriber.openings).toBeNull();
    scene.waits('a', 'second');
    expect(queue(4096)).toBe(true);
    await scene.end('second');
  });
});
