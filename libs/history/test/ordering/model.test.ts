import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderScene, recordOf } from './scene.js';

const COMMITTED = 30;

/** One copy of a record on its way: how late it is, and whether it is lost. */
const copy = fc.record({ lateMs: fc.nat(400), isLost: fc.boolean() });
const way = fc.array(fc.array(copy, { minLength: 1, maxLength: 3 }), {
  minLength: COMMITTED,
  maxLength: COMMITTED,
});

it('whatever is lost, late or doubled, everything is delivered once and in order, or given up aloud', () => {
  fc.assert(
    fc.property(way, fc.nat(COMMITTED), fc.boolean(), (copies, head, storeAnswers) => {
      const scene = new OrderScene();
      const arrivals = copies
        .flatMap((some, index) => some.map(({ lateMs, isLost }) => ({ serial: index + 1, lateMs, isLost })))
        .filter(({ serial, isLost }) => serial > head && !isLost)
        .map(({ serial, lateMs }) => ({ serial, atMs: serial * 20 + lateMs }));
      const fetched: number[] = [];
      scene.begin(head);
      for (let ms = 0; ms <= 6000; ms += 10) {
        scene.pass(10);
        for (const { serial, atMs } of arrivals) if (atMs > ms - 10 && atMs <= ms) scene.receive(serial);
        if (ms === 2000) scene.check({ streamId: 's-1', serial: COMMITTED });
        for (const line of scene.told.splice(0)) {
          const [what, from = 0, to = 0] = line
            .split(/[ -]/)
            .map((one, at) => (at === 0 ? one : Number(one)));
          if (what === 'fetch' && storeAnswers)
            for (let serial = Number(from); serial <= Number(to); serial += 1) scene.receive(serial);
          if (what === 'give_up') for (let one = Number(from); one <= Number(to); one += 1) fetched.push(one);
        }
      }
      const delivered = scene.delivered.map(({ serial }) => serial);
      const all = Array.from({ length: COMMITTED - head }, (_, index) => head + 1 + index);
      expect(delivered).toEqual(all.filter((serial) => !fetched.includes(serial)));
      if (storeAnswers) expect(fetched).toEqual([]);
      expect(scene.delivered.every((record) => record.messageId === recordOf(record.serial).messageId)).toBe(
        true,
      );
    }),
    { numRuns: 60 },
  );
});
