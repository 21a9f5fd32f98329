import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter, thresholdFor } from '../src/logging/filter.js';
import { LEVELS } from '../src/logging/levels.js';

const level = fc.constantFrom(...LEVELS, 'off' as const);
const target = fc
  .array(fc.constantFrom('service', 'gateway', 'ops', 'nats'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join('::'));

describe('log filter', () => {
  it('lets the longest matching target win, whatever the order of the items', () => {
    fc.assert(
      fc.property(
        level,
        fc.dictionary(target, level),
        target,
        fc.nat(),
        (otherwise, entries, asked, turn) => {
          const items = [
            otherwise as string,
            ...Object.entries(entries).map(([name, word]) => `${name}=${word}`),
          ];
          const turned = [...items.slice(turn % items.length), ...items.slice(0, turn % items.length)];
          const matching = Object.keys(entries)
            .filter((name) => asked === name || asked.startsWith(`${name}::`))
            .sort((a, b) => b.length - a.length);
          const expected = matching[0] === undefined ? otherwise : entries[matching[0]];
          const { filter, warnings } = parseFilter(turned.join(' , '));
          expect(warnings).toEqual([]);
          expect(filter && thresholdFor(filter, asked)).toBe(expected);
        },
      ),
    );
  });

  it('does not take a target for the parent of another that merely starts alike', () => {
    const { filter } = parseFilter('warn,service::op=trace');
    expect(filter && thresholdFor(filter, 'service::ops')).toBe('warn');
  });

  it('skips bad items with a warning each and keeps the rest', () => {
    const { filter, warnings } = parseFilter('loud,service::ops=debug,service=chatty,a=b=info,=info,INFO');
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toContain('"loud"');
    expect(filter && thresholdFor(filter, 'service::ops')).toBe('debug');
    expect(filter && thresholdFor(filter, 'other')).toBe('info');
  });

  it('prints only errors of targets nobody named', () => {
    const { filter } = parseFilter('service=debug');
    expect(filter && thresholdFor(filter, 'library')).toBe('error');
  });

  it('says when nothing is usable', () => {
    expect(parseFilter('nonsense').filter).toBeNull();
  });
});
