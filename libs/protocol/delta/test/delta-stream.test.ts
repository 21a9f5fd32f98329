import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeltaStream, SharedEncoding, type DeltaRules, type DeltaStep } from '../src/index.js';
import { DECODERS } from './decoders.js';

const RULES: DeltaRules = {
  fullMessageInterval: 10,
  minMessageSize: 100,
  maxStateAgeMs: 300_000,
  maxGroups: 100,
};
const long = (digit: number): string => `${'x'.repeat(200)}${digit}${'y'.repeat(200)}`;
const encoding = (text: string): SharedEncoding => new SharedEncoding(text, 'fossil');
const kinds = (steps: readonly DeltaStep[]): string[] =>
  steps.map(({ kind, sequence }) => `${kind} ${sequence}`);

describe('a stream of differences', () => {
  it('begins with two full messages and is full again after the interval', () => {
    const stream = new DeltaStream(RULES);
    const steps = Array.from({ length: 14 }, (_, n) => stream.step('', encoding(long(n % 10)), n));
    expect(kinds(steps.slice(0, 3))).toEqual(['full 0', 'full 1', 'delta 2']);
    expect(kinds(steps.slice(10))).toEqual(['delta 10', 'delta 11', 'full 12', 'delta 13']);
  });

  it('counts each group for itself', () => {
    const stream = new DeltaStream(RULES);
    const steps = [0, 1, 2].flatMap((n) =>
      ['BTC', 'ETH'].map((group) => stream.step(group, encoding(group + long(n)), n)),
    );
    expect(kinds(steps)).toEqual(['full 0', 'full 0', 'full 1', 'full 1', 'delta 2', 'delta 2']);
  });

  it('is full where the base is old, the text short, or the difference as long as the text', () => {
    const stream = new DeltaStream(RULES);
    for (const n of [0, 1]) stream.step('', encoding(long(n)), 0);
    expect(stream.step('', encoding(long(2)), 300_001)).toEqual({ kind: 'full', sequence: 2 });
    expect(stream.step('', encoding('short'), 300_001)).toEqual({ kind: 'full', sequence: 3 });
    const other = Array.from({ length: 200 }, (_, n) => String.fromCharCode(33 + ((n * 7) % 90))).join('');
    expect(stream.step('', encoding(other), 300_001)).toEqual({ kind: 'full', sequence: 4 });
  });

  it('begins a group again that was pushed out', () => {
    const stream = new DeltaStream({ ...RULES, maxGroups: 2 });
    const sequences = ['a', 'a', 'b', 'c', 'a', 'c'].map(
      (group, n) => stream.step(group, encoding(long(n)), n).sequence,
    );
    expect(sequences).toEqual([0, 1, 0, 0, 0, 1]);
  });

  it('goes on at 1 from a base that was handed over', () => {
    const stream = new DeltaStream(RULES);
    stream.seed('BTC', long(0), 0);
    expect(stream.step('BTC', encoding(long(1)), 0)).toEqual({ kind: 'full', sequence: 1 });
    expect(stream.step('BTC', encoding(long(2)), 0)).toMatchObject({ kind: 'delta', sequence: 2 });
  });

  it('gives a receiver every text back, whatever is sent', () => {
    const event = fc.record({
      group: fc.constantFrom('a', 'b', 'c'),
      text: fc.oneof(fc.integer({ min: 0, max: 9 }).map(long), fc.string({ unit: 'binary', maxLength: 300 })),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), (events, maxGroups) => {
        const stream = new DeltaStream({ ...RULES, maxGroups });
        const held = new Map<string, { text: string; sequence: number }>();
        for (const [n, { group, text }] of events.entries()) {
          const step = stream.step(group, encoding(text), n);
          const base = held.get(group);
          if (step.kind === 'delta') expect(base?.sequence).toBe(step.sequence - 1);
          const got = step.kind === 'full' ? text : applied(base?.text ?? '', step.delta);
          expect(got).toBe(Buffer.from(text).toString());
          held.set(group, { text: got, sequence: step.sequence });
        }
      }),
    );
  });
});

describe('one event for many streams', () => {
  it('is encoded once a base', () => {
    let encodings = 0;
    const streams = Array.from({ length: 50 }, () => new DeltaStream(RULES));
    for (const n of [0, 1, 2, 3]) {
      const event = new SharedEncoding(long(n), 'xdelta3', () => (encodings += 1));
      for (const stream of streams) stream.step('', event, n);
    }
    expect(encodings).toBe(2);
  });
});

const applied = (base: string, delta: string): string =>
  DECODERS.fossil.dchest(Buffer.from(base), Buffer.from(delta, 'base64')).toString();
