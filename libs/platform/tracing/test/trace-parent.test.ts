import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTraceParent, traceParentText } from '../src/index.js';

const digits = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
const parents = fc.record({
  traceId: digits(32),
  spanId: digits(16),
  flags: fc.integer({ min: 0, max: 255 }),
});

describe('a trace parent', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(parents, (parent) => {
        expect(readTraceParent(traceParentText(parent))).toEqual(parent);
      }),
    );
  });

  it('of a later version is read as far as it is known', () => {
    const text = '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes-later';
    expect(readTraceParent(text)).toMatchObject({ spanId: '00f067aa0ba902b7', flags: 1 });
  });

  it.each([
    undefined,
    '',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ])('that is malformed is as if there were none: %s', (text) => {
    expect(readTraceParent(text)).toBeNull();
  });

  it('of anything at all is never an error', () => {
    fc.assert(fc.property(fc.string(), (text) => void readTraceParent(text)));
  });
});
