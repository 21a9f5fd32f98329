import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OffsetLedger } from '../src/broker/offset-ledger.js';
import { OffsetRanges } from '../src/broker/offset-ranges.js';

const FIRST = 40;

type Step = { readonly kind: 'receive' | 'handOut' | 'settle' | 'restart'; readonly pick: number };

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind']>('receive', 'receive', 'handOut', 'settle', 'settle', 'restart'),
    pick: fc.nat(1000),
  }),
  { maxLength: 200 },
);

/** Reference implementation: one state per offset. */
class Model {
  readonly states = new Map<number, 'received' | 'handed' | 'settled'>();
  next = FIRST;

  in(state: string): number[] {
    return [...this.states].filter(([, own]) => own === state).map(([offset]) => offset);
  }

  get low(): number {
    let low = FIRST;
    while (this.states.get(low) === 'settled') low += 1;
    return low;
  }
}

const chosen = (offsets: readonly number[], pick: number): number | undefined =>
  offsets[pick % offsets.length];

describe('OffsetLedger', () => {
  it('commits the low-water mark and hands every unsettled record to the next consumer', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const model = new Model();
        let ledger = OffsetLedger.restore({ offset: FIRST, metadata: '' });
        for (const { kind, pick } of list) {
          if (kind === 'receive') {
            expect(ledger.receive(model.next)).toBe('new');
            model.states.set(model.next, 'received');
            model.next += 1;
          } else if (kind === 'restart') {
            ledger = OffsetLedger.restore(ledger.position());
            for (let offset = model.low; offset < model.next; offset += 1) {
              const expected = { received: 'new', handed: 'redelivered', settled: 'known' } as const;
              expect(ledger.receive(offset)).toBe(expected[model.states.get(offset) ?? 'received']);
            }
          } else {
            const from = kind === 'handOut' ? 'received' : 'handed';
            const offset = chosen(model.in(from), pick);
            if (offset === undefined) continue;
            ledger[kind](offset);
            model.states.set(offset, kind === 'handOut' ? 'handed' : 'settled');
          }
          expect(ledger.position().offset).toBe(model.low);
          expect(ledger.handedCount).toBe(model.in('handed').length);
        }
      }),
    );
  });

  it('reports a record as known when it was received before', () => {
    const ledger = OffsetLedger.restore({ offset: 7, metadata: '' });
    expect([7, 8, 7, 6].map((offset) => ledger.receive(offset))).toEqual(['new', 'new', 'known', 'known']);
  });

  it('moves the low-water mark over offsets without records', () => {
    const ledger = OffsetLedger.restore({ offset: 0, metadata: '' });
    ledger.receive(3);
    expect(ledger.position().offset).toBe(3);
    ledger.receive(9);
    ledger.settle(3);
    expect(ledger.position().offset).toBe(9);
  });

  it('ignores metadata of another version or program', () => {
    for (const metadata of ['2;0;1', 'x', ';;', '1;-3,z-1,;q']) {
      const ledger = OffsetLedger.restore({ offset: 5, metadata });
      expect(ledger.position().offset).toBe(5);
    }
  });

  it('keeps the metadata below the limit of brokers when many records are settled out of order', () => {
    const ledger = OffsetLedger.restore({ offset: 0, metadata: '' });
    for (let offset = 0; offset < 20_000; offset += 1) {
      ledger.receive(offset);
      if (offset % 2 === 1) ledger.settle(offset);
    }
    ledger.handOut(0);
    const { metadata } = ledger.position();
    expect(Buffer.byteLength(metadata)).toBeLessThanOrEqual(4096);
    const next = OffsetLedger.restore(ledger.position());
    expect([0, 1, 2, 3].map((offset) => next.receive(offset))).toEqual([
      'redelivered',
      'known',
      'new',
      'known',
    ]);
  });
});

describe('OffsetRanges', () => {
  it('agrees with a set of offsets', () => {
    const operation = fc.tuple(fc.boolean(), fc.nat(60), fc.nat(5));
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const ranges = new OffsetRanges();
        const offsets = new Set<number>();
        for (const [isAdd, first, length] of operations) {
          if (isAdd) {
            ranges.add(first, first + length);
            for (let offset = first; offset <= first + length; offset += 1) offsets.add(offset);
          } else {
            ranges.remove(first);
            offsets.delete(first);
          }
        }
        const listed = [...ranges].flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, n) => first + n),
        );
        expect(listed).toEqual([...offsets].sort((one, other) => one - other));
        expect(ranges.size).toBe(offsets.size);
        for (let offset = 0; offset < 70; offset += 1) expect(ranges.has(offset)).toBe(offsets.has(offset));
      }),
    );
  });
});
