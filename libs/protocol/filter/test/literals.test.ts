import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter, type Filter, FilterSubject } from '../src/index.js';

const RULES = { eventNamesEnabled: true, tagsEnabled: true, maxEventNames: 50, maxEventNameBytes: 200 };

function compiled(value: unknown): Filter {
  const result = compileFilter(value, RULES);
  if (!result.ok || result.filter === null) throw new Error('no filter');
  return result.filter;
}

const subject = (event: string, tags: Record<string, string>, name: string | null = null): FilterSubject =>
  new FilterSubject({
    event,
    channel: 'orders',
    dataText: null,
    name,
    userId: null,
    tagsText: JSON.stringify(tags),
    headersText: null,
    messageId: null,
    streamId: null,
    serial: null,
    action: null,
  });

const leaf = (key: string, cmp: string, values: readonly string[]): object =>
  cmp === 'in' || cmp === 'nin' ? { key, cmp, vals: values } : { key, cmp, val: values[0] };

describe('Filter.literals', () => {
  it('names the values of eq and in, and the shorter list of event names and tags', () => {
    const [eu, us] = [compiled(leaf('region', 'eq', ['eu'])), compiled(leaf('region', 'in', ['eu', 'us']))];
    expect([eu.literals?.length, us.literals?.length]).toEqual([1, 2]);
    const both = compiled({ events: ['a', 'b'], tags: leaf('region', 'eq', ['eu']) });
    expect(both.literals).toEqual(eu.literals);
    expect(subject('a', { region: 'eu' }).literals.has(eu.literals?.[0] ?? '')).toBe(true);
  });

  it('is null when an accepted event may lack every value of the filter', () => {
    const eu = leaf('region', 'eq', ['eu']);
    const open = [
      leaf('region', 'neq', ['eu']),
      { op: 'not', nodes: [eu] },
      { op: 'or', nodes: [eu, leaf('region', 'sw', ['u'])] },
    ];
    for (const tags of open) expect(compiled({ tags }).literals).toBeNull();
    expect(compiled({ expression: 'tags.region' }).literals).toBeNull();
  });

  it('contains a literal of every accepted event when filters and events are random', () => {
    const word = fc.constantFrom('a', 'b', 'c', '1:a');
    const leaves = fc
      .tuple(
        word,
        fc.constantFrom('eq', 'neq', 'in', 'nin', 'sw', 'ct'),
        fc.array(word, { minLength: 1, maxLength: 3 }),
      )
      .map(([key, cmp, values]) => leaf(key, cmp, values));
    const { node } = fc.letrec<{ node: object }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaves,
        fc.record({ op: fc.constant('not'), nodes: fc.tuple(tie('node')) }),
        fc.record({
          op: fc.constantFrom('and', 'or'),
          nodes: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        }),
      ),
    }));
    const filter = fc.record({
      tags: node,
      events: fc.oneof(fc.constant([]), fc.array(word, { minLength: 1 })),
    });
    const event = fc
      .tuple(word, fc.dictionary(word, word), fc.option(word))
      .map(([of, tags, name]) => subject(of, tags, name));
    fc.assert(
      fc.property(filter, event, (value, about) => {
        const { literals, ...rest } = compiled(value);
        const isSelected = literals === null || literals.some((one) => about.literals.has(one));
        expect(isSelected || !rest.accepts(about)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
