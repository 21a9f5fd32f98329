import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Retained } from '../src/drivers/memory/retained.js';

const step = fc.oneof(
  fc.record({ add: fc.integer({ min: 0, max: 12 }) }),
  fc.record({ remove: fc.integer({ min: 0, max: 12 }) }),
);

describe('what is retained', () => {
  it('is always the newest, in order, whatever was removed in between', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), fc.array(step, { maxLength: 60 }), (most, steps) => {
        const retained = new Retained<string>(most);
        let model: string[] = [];
        for (const one of steps) {
          if ('remove' in one) {
            retained.delete(`${one.remove}`);
            model = model.filter((id) => id !== `${one.remove}`);
          } else if (!model.includes(`${one.add}`)) {
            const gone: string[] = [];
            retained.add(`${one.add}`, `${one.add}`, (id) => gone.push(id));
            model.push(`${one.add}`);
            expect(gone).toEqual(model.splice(0, Math.max(0, model.length - most)));
          }
          expect(retained.first(100)).toEqual(model);
          expect(retained.size).toBe(model.length);
        }
        expect(retained.first(2)).toEqual(model.slice(0, 2));
      }),
    );
  });
});
