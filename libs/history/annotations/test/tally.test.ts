import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnnotationSummary, Contribution } from '@carillon/history-store';
import {
  type Method,
  methodOf,
  missingOf,
  RunningSummary,
  storedSummaryFrame,
  summaryFrame,
  Tally,
} from '../src/index.js';

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

  it('comes to what all contributions come to when they are added up anew, however it was stored on the way', () => {
    fc.assert(
      fc.property(method, fc.array(contribution, { maxLength: 60 }), fc.nat(5), (name, all, storedEvery) => {
        const type = `x:${name}.v1`;
        const counted = all.filter((one) => missingOf(name, one) === null);
        const running = [RunningSummary.none({ ...KEY, type })];
        let stored: AnnotationSummary | null = null;
        for (const [at, one] of counted.entries()) {
          const before = running.at(-1)?.tally.text();
          expect(running.at(-1)?.add({ ...one, annotationNo: at + 1, atMs: at }, ONE_BYTE)).toBe(
            one.action === 'delete' ? null : 'bytes',
          );
          if (one.action === 'create') {
            expect(running.at(-1)?.tally.text()).toBe(before);
            running.at(-1)?.add({ ...one, annotationNo: at + 1, atMs: at }, NO_LIMITS);
          }
          const text = running.at(-1)?.tally.text() ?? '';
          expect(text).toBe(addedUp(name, counted.slice(0, at + 1)));
          expect(running.at(-1)?.tally.bytes).toBe(Buffer.byteLength(text));
          for (const cut of [0, 1, 2]) {
            const clipped = running.at(-1)?.tally.text(cut) ?? '';
            expect(running.at(-1)?.tally.bytesAt(cut)).toBe(Buffer.byteLength(clipped));
          }
          if (at % (storedEvery + 1) !== 0) continue;
          const row = running.at(-1)?.row();
          stored = { ...KEY, ...row, summary: row?.summary ?? stored?.summary ?? '' } as AnnotationSummary;
          expect(Tally.of(type, stored).text()).toBe(text);
          if (at % 2 === 0) running.push(RunningSummary.of(stored));
        }
      }),
    );
  });

  it('refuses a new name and accepts a known one when it has as many names as it may', () => {
    const running = RunningSummary.none({ ...KEY, type: 'x:distinct.v1' });
    const limits = { maxBytes: Infinity, maxNames: 2 };
    const add = (name: string, clientId: string, at: number) =>
      running.add({ ...made({ name, clientId }), annotationNo: at, atMs: at }, limits);
    expect([add('a', 'u', 1), add('b', 'u', 2), add('c', 'u', 3), add('b', 'v', 3)]).toEqual([
      null,
      null,
      'names',
      null,
    ]);
    expect(Object.keys(JSON.parse(running.tally.text()) as object)).toEqual(['a', 'b']);
  });

  it('is stored as little as what is added to it where its clients are very many', () => {
    const running = RunningSummary.none({ ...KEY, type: 'x:flag.v1' });
    let written = 0;
    for (let at = 1; at <= 5000; at += 1) {
      running.add({ ...made({ clientId: `client-${at}` }), annotationNo: at, atMs: at }, NO_LIMITS);
      const { summary, since } = running.row();
      written += (summary?.length ?? 0) + JSON.stringify(since).length;
    }
    expect(running.tally.bytes).toBeGreaterThan(60_000);
    expect(written / 5000).toBeLessThan(8000);
  });
});

const KEY = { streamKey: '1', messageSerial: 'm' };
const NO_LIMITS = { maxBytes: Infinity, maxNames: Infinity };
const ONE_BYTE = { maxBytes: 1, maxNames: Infinity };
const contribution = fc.record({
  action: fc.constantFrom('create' as const, 'create' as const, 'delete' as const),
  name: fc.constantFrom('a', 'b', '__proto__', '1', 'ü"'),
  clientId: fc.constantFrom(null, 'u', 'ü', '😀', '\ud800', '__proto__', '10', '9', '"'),
  count: fc.constantFrom(null, 1, 4, 1000),
});
const method = fc.constantFrom<Method[]>('total', 'flag', 'distinct', 'unique', 'multiple');

const inOrder = (all: Iterable<string>) =>
  [...all].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

/** A summary as it is laid down, from all contributions: one client after another, one name after another. */
function addedUp(of: Method, contributions: readonly Contribution[]): string {
  let total = 0;
  const names = new Map<string, { clients: Map<string, number>; unidentified: number }>();
  for (const { action, name, clientId, count } of contributions) {
    total = Math.max(0, total + (action === 'create' ? 1 : -1));
    const under = of === 'flag' ? '' : (name ?? '');
    if (clientId !== null && of === 'unique')
      for (const { clients } of names.values()) clients.delete(clientId);
    if (clientId !== null && action === 'delete') names.get(under)?.clients.delete(clientId);
    const amount = of === 'multiple' ? (count ?? 1) : 1;
    if (action === 'create') {
      const entry = names.get(under) ?? { clients: new Map<string, number>(), unidentified: 0 };
      names.set(under, entry);
      const before = of === 'multiple' ? (entry.clients.get(clientId ?? '') ?? 0) : 0;
      if (clientId === null) entry.unidentified += amount;
      else entry.clients.set(clientId, before + amount);
    }
    for (const [one, { clients, unidentified }] of names)
      if (clients.size === 0 && unidentified === 0) names.delete(one);
  }
  const listOf = (clients: ReadonlyMap<string, number> = new Map()) =>
    `{"total":${clients.size},"clientIds":${JSON.stringify(inOrder(clients.keys()))},"clipped":false}`;
  if (of === 'total') return `{"total":${total}}`;
  if (of === 'flag') return listOf(names.get('')?.clients);
  const texts = inOrder(names.keys()).map((name) => {
    const { clients = new Map<string, number>(), unidentified = 0 } = names.get(name) ?? {};
    const sum = [...clients.values()].reduce((all, amount) => all + amount, unidentified);
    const counts = inOrder(clients.keys()).map((one) => `${JSON.stringify(one)}:${clients.get(one)}`);
    const text =
      of === 'multiple'
        ? `{"total":${sum},"clientCounts":{${counts.join(',')}},"totalUnidentified":${unidentified},` +
          `"clipped":false,"totalClientIds":${clients.size}}`
        : listOf(clients);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${texts.join(',')}}`;
}

describe('the frame of a summary', () => {
  it('leaves clients out until it fits, and tells so', () => {
    const tally = Tally.of('x:flag.v1', null);
    for (let n = 0; n < 5000; n += 1) tally.apply(made({ clientId: `client-${n}` }));
    const of = { channel: 'c', messageSerial: 'm', type: 'x:flag.v1' };
    const clipped = summaryFrame(of, tally, 10_240);
    expect(Buffer.byteLength(clipped.text)).toBeLessThanOrEqual(10_240);
    expect(JSON.parse(clipped.text).data.annotations.summary['x:flag.v1']).toMatchObject({
      total: 5000,
      clipped: true,
    });
    expect(JSON.parse(summaryFrame(of, tally, 1).text).data.annotations.summary['x:flag.v1']).toEqual({
      total: 5000,
      clientIds: [],
      clipped: true,
    });
  });

  it('is clipped to 65,536 bytes when its app has no limit or a larger one', () => {
    const type = 'x:distinct.v1';
    const tally = Tally.of(type, null);
    for (let n = 0; n < 5000; n += 1)
      tally.apply(made({ name: `name-${n % 10}`, clientId: `client-${String(n).padStart(10, '0')}` }));
    for (const maxBytes of [0, 1_000_000]) {
      const { text, isClipped } = summaryFrame({ channel: 'c', messageSerial: 'm', type }, tally, maxBytes);
      const { summary } = (
        JSON.parse(text) as { data: { annotations: { summary: Record<string, Record<string, object>> } } }
      ).data.annotations;
      expect([isClipped, Buffer.byteLength(text) <= 65_536]).toEqual([true, true]);
      expect(summary[type]?.['name-7']).toMatchObject({ total: 500, clipped: true });
      expect(summary[type]?.['name-7']).toHaveProperty('clientIds.length', 64);
    }
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
    const of = { channel: 'chat', messageSerial: 'm', type };
    const { text, isClipped } = summaryFrame(of, tally, 10_240);
    expect([isClipped, Buffer.byteLength(text) <= 10_240]).toEqual([true, true]);
    expect(JSON.parse(text)).toMatchObject({
      data: { annotations: { summary: { [type]: { total: 5000, clipped: true } } } },
    });
  });
});

describe('storedSummaryFrame', () => {
  const of = { channel: 'chat', messageSerial: 'm:1', type: 'reactions:distinct.v1' };
  const likes = Array.from({ length: 20 }, (_, at) => made({ name: 'like', clientId: `client-${at}` }));
  const tally = Tally.of(of.type, null);
  for (const like of likes) tally.apply(like);
  const summary = tally.text();

  it.each([
    ['nothing was contributed since', [], 0],
    ['contributions came since', [made({ name: 'love', clientId: 'client-1' })], 0],
    ['the text does not fit', [], 300],
  ])('equals the frame of the rebuilt summary when %s', (_when, since, maxBytes) => {
    const stored = { summary, since };
    const rebuilt = summaryFrame(of, Tally.of(of.type, stored), maxBytes);
    expect(storedSummaryFrame(of, stored, maxBytes)).toEqual(rebuilt);
    expect(rebuilt.isClipped).toBe(maxBytes !== 0);
  });
});
