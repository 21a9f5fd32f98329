import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { must } from '../src/broken.js';
import { checkOne, runChunk } from '../src/chunk.js';
import { superlinear } from '../src/growth.js';
import { describeFailure } from '../src/report.js';
import { frame } from '../src/targets/frame.js';

/** The corpus of frames against something else. @param {Partial<import('../src/target.js').Target>} planted */
const planted = (planted) => ({ ...frame, growths: [], ...planted });

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Defects as people really write them. @type {[name: string, check: (text: string) => void][]} */
const DEFECTS = [
  [
    'an exception on null',
    (text) => void parsed(text)?.event?.startsWith?.(parsed(text)?.data.channel ?? ''),
  ],
  [
    'a member found by searching the text',
    (text) => {
      const value = parsed(text);
      const wanted = value !== null && typeof value === 'object' && Object.hasOwn(value, 'data');
      must(!wanted || /"data"\s*:/.test(text), 'data is found');
    },
  ],
  [
    'an object that takes its prototype from a client',
    (text) => {
      const copy = Object.assign({}, parsed(text)?.data);
      must(Object.getPrototypeOf(copy) === Object.prototype, 'nobody changes prototypes');
    },
  ],
  [
    'a reader that recurses',
    (text) => {
      const walk = (/** @type {unknown} */ value) => {
        if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
      };
      walk(parsed(text));
    },
  ],
  [
    'a number that passes through a double',
    (text) => must(!/^[^"]*"n":(\d{17,})[,}]/.test(text) && !/:\s*1e400\b/.test(text), 'numbers are kept'),
  ],
];

/** @param {Buffer} bytes */
function quadratic(bytes) {
  let open = 0;
  for (let at = 0; at < bytes.length; at += 16) {
    for (let before = 0; before < at; before += 1) if (bytes[before] === 0x7b) open += 1;
  }
  return void open;
}

describe('a planted defect', () => {
  it.each(DEFECTS)('is found and can be seen again: %s', (_, check) => {
    const target = planted({
      check(bytes) {
        check(bytes.toString());
        return 'fine';
      },
    });
    const [failure] = runChunk(target, { seed: 1, inputs: 20_000 }).failures;
    if (failure === undefined) throw new Error('not found');
    expect(() => checkOne(target, failure.input)).toThrow(Error);
    const told = describeFailure(failure);
    expect(told).toContain(`of seed 1: `);
    expect(told).toContain(failure.input.length > 4096 ? 'bytes' : failure.input.toString('base64'));
    const [, file = ''] = /--replay (\S+)$/.exec(told) ?? [];
    expect(readFileSync(file)).toEqual(failure.input);
  });

  it('that needs one rare input is met again with the same seed', () => {
    const target = planted({
      check: (bytes) => {
        must(!bytes.includes('pusher:__proto__'), 'a rare input');
        return String(bytes.length % 7);
      },
    });
    const [first] = runChunk(target, { seed: 9, inputs: 100_000 }).failures;
    const [second] = runChunk(target, { seed: 9, inputs: 100_000 }).failures;
    expect(first).toBeDefined();
    expect(second).toEqual(first);
  });

  it('of cost is found by growing the input', () => {
    const growths = [{ name: 'quotes', before: '"', piece: '"' }];
    expect(superlinear(planted({ growths, reach: quadratic }))).toHaveLength(1);
    expect(
      superlinear(planted({ growths, reach: (bytes) => void bytes.toString().split('"').length })),
    ).toEqual([]);
  });
});
