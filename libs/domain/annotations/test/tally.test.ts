import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Contribution, methodOf, missingOf, summaryFrame, Tally } from '../src/index.js';

const made = (more: Partial<Contribution>): Contribution => ({
  action: 'create',
  name: null,
  clientId: null,
  count: null,
  ...more,
});
const taken = (more: Partial<Contribution>): Contribution => ({ ...made(more), action: 'delete' });

function summaryOf(type: string, contributions: readonly Contribution[]): unknown {
  const tally = Tally.of(type, null);
  for (const contribution of contributions) tally.apply(contribution);
  return JSON.parse(tally.text());
}

describe('a type', () => {
  it('names a method of version 1 behind its namespace', () => {
    expect(methodOf('reactions:distinct.v1')).toBe('distinct');
    for (const wrong of ['x:total', 'x:total.v2', 'x:sum.v1', ':total.v1', 'x:to tal.v1', 'x:total.v1.v1'])
      expect(methodOf(wrong)).toBeNull();
    expect(methodOf(`${'x'.repeat(247)}:total.v1`)).toBe('total');
    expect(methodOf(`${'x'.repeat(248)}:total.v1`)).toBeNull();
  });

  it('says what an annotation of it needs', () => {
    expect(missingOf('flag', { name: null, clientId: null })).toBe('clientId');
    expect(missingOf('distinct', { name: null, clientId: 'u' })).toBe('name');
    expect(missingOf('multiple', { name: 'n', clientId: null })).toBeNull();
    expect(missingOf('total', { name: null, clientId: null })).toBeNull();
  });
});

describe('a tally', () => {
  it('counts clients under a name', () => {
    const like = { name: 'like' };
    const both = [made({ ...like, clientId: 'u2' }), made({ ...like, clientId: 'u1' })];
    expect(summaryOf('reactions:distinct.v1', both)).toEqual({
      like: { total: 2, clientIds: ['u1', 'u2'], clipped: false },
    });
    expect(summaryOf('reactions:distinct.v1', [...both, taken({ ...like, clientId: 'u1' })])).toEqual({
      like: { total: 1, clientIds: ['u2'], clipped: false },
    });
  });

  it('moves a client to its newest name', () => {
    const moved = [made({ name: 'a', clientId: 'u1' }), made({ name: 'b', clientId: 'u1' })];
    expect(summaryOf('x:unique.v1', moved)).toEqual({ b: { total: 1, clientIds: ['u1'], clipped: false } });
  });

  it('adds counts only where they count', () => {
    expect(summaryOf('x:total.v1', [made({ count: 5 })])).toEqual({ total: 1 });
    const counted = [2, 3].map((count) => made({ name: 'n', clientId: 'u', count }));
    expect(summaryOf('x:multiple.v1', [...counted, made({ name: 'n' })])).toEqual({
      n: { total: 6, clientCounts: { u: 5 }, totalUnidentified: 1, clipped: false, totalClientIds: 1 },
    });
  });

  it('is empty in its own way when all was taken back', () => {
    const one = { name: 'n', clientId: 'u' };
    const empty = (type: string) => summaryOf(type, [made(one), taken(one), taken(one)]);
    expect(empty('x:total.v1')).toEqual({ total: 0 });
    expect(empty('x:flag.v1')).toEqual({ total: 0, clientIds: [], clipped: false });
    for (const method of ['distinct', 'unique', 'multiple']) expect(empty(`x:${method}.v1`)).toEqual({});
  });

  it('goes on from what is stored as if it had counted all of it', () => {
    const contribution = fc.record({
      action: fc.constantFrom('create' as const, 'delete' as const),
      name: fc.constantFrom('a', 'b', '__proto__', '1'),
      clientId: fc.constantFrom(null, 'u', 'ü', '😀', '__proto__', '10', '9'),
      count: fc.constantFrom(null, 1, 4),
    });
    const method = fc.constantFrom('total', 'flag', 'distinct', 'unique', 'multiple');
    fc.assert(
      fc.property(method, fc.array(contribution, { maxLength: 40 }), (name, contributions) => {
        const type = `x:${name}.v1`;
        const needed = name === 'flag' || name === 'distinct' || name === 'unique';
        const whole = Tally.of(type, null);
        let stored: string | null = null;
        for (const one of contributions) {
          if (needed && one.clientId === null) continue;
          whole.apply(one);
          const step = Tally.of(type, stored);
          step.apply(one);
          stored = step.text();
        }
        expect(stored ?? whole.text()).toBe(whole.text());
      }),
    );
  });
});

describe('the frame of a summary', () => {
  it('leaves clients out until it fits, and tells so', () => {
    const tally = Tally.of('x:flag.v1', null);
    for (let n = 0; n < 5000; n += 1) tally.apply(made({ clientId: `client-${n}` }));
    const of = { channel: 'c', messageSerial: 'm', type: 'x:flag.v1', summary: tally.text() };
    const clipped = summaryFrame(of, 10_240);
    expect(Buffer.byteLength(clipped.text)).toBeLessThanOrEqual(10_240);
    expect(JSON.parse(clipped.text).data.annotations.summary['x:flag.v1']).toMatchObject({
      total: 5000,
      clipped: true,
    });
    expect(summaryFrame(of, 0).isClipped).toBe(false);
    expect(JSON.parse(summaryFrame(of, 1).text).data.annotations.summary['x:flag.v1']).toEqual({
      total: 5000,
      clientIds: [],
      clipped: true,
    });
  });

  it('tells of clients in the order of their bytes, whatever they are called', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.uniqueArray(name), (clients) => {
        const tally = Tally.of('read:flag.v1', null);
        for (const clientId of clients) tally.apply({ action: 'create', name: null, clientId, count: null });
        const { clientIds } = JSON.parse(tally.text()) as { clientIds: string[] };
        const inOrder = clients.toSorted((one, other) =>
          Buffer.compare(Buffer.from(one), Buffer.from(other)),
        );
        expect(clientIds).toEqual(inOrder);
      }),
      { numRuns: 40 },
    );
  });

  it('tells of a crowd exactly, with as many of its names as a frame may have', () => {
    const type = 'read:flag.v1';
    const tally = Tally.of(type, null);
    for (let n = 0; n < 5000; n += 1) tally.apply(made({ clientId: `client-${n}` }));
    const of = { channel: 'chat', messageSerial: 'm', type, summary: tally.text() };
    const { text, isClipped } = summaryFrame(of, 10_240);
    expect([isClipped, Buffer.byteLength(text) <= 10_240]).toEqual([true, true]);
    expect(JSON.parse(text)).toMatchObject({
      data: { annotations: { summary: { [type]: { total: 5000, clipped: true } } } },
    });
  });
});
