import { describe, expect, it } from 'vitest';
import { type FilterRules, SharedFilters } from '../src/index.js';

const RULES: FilterRules = {
  eventNamesEnabled: true,
  tagsEnabled: true,
  maxEventNames: 50,
  maxEventNameBytes: 200,
};
const LIMITS = { maxPerChannel: 2, maxPerApp: 3 };
const PLACE = { appId: 'shop', channel: 'orders' };

const evaluated = (value: string): object => ({ tags: { key: 'k', cmp: 'sw', val: value } });
const literal = (at: number): object =>
  at % 2 === 0 ? { events: [`e${at}`] } : { key: 'k', cmp: 'eq', val: at };

function inUse() {
  const filters = new SharedFilters(RULES, LIMITS);
  const acquire = (filter: object, channel = 'orders', appId = 'shop') =>
    filters.acquire(filter, { appId, channel });
  return { filters, acquire };
}

describe('SharedFilters', () => {
  it('refuses a distinct filter beyond the limit of its channel, names count and setting, and changes nothing', () => {
    const { filters, acquire } = inUse();
    const first = acquire(evaluated('a'));
    expect([acquire(evaluated('b')).ok, acquire(evaluated('a')).ok, filters.size]).toEqual([true, true, 2]);
    const third = acquire(evaluated('c'));
    expect(third).toMatchObject({ ok: false, why: 'too_many' });
    expect(third.ok ? '' : third.reason).toMatch(/2 distinct filters.*max_filters_per_channel/);
    expect([filters.size, acquire(evaluated('c'), 'orders', 'bank').ok]).toEqual([2, true]);
    if (first.ok) first.held?.release();
    expect(acquire(evaluated('d')).ok).toBe(false);
  });

  it('refuses a distinct filter beyond the limit of its app, and accepts one again after a release', () => {
    const { acquire } = inUse();
    const held = [
      acquire(evaluated('a'), 'c1'),
      acquire(evaluated('b'), 'c2'),
      acquire(evaluated('c'), 'c3'),
    ];
    const refused = acquire(evaluated('d'), 'c4');
    expect(refused.ok ? '' : refused.reason).toMatch(/3 distinct filters.*max_filters_per_app/);
    if (held[0]?.ok === true) held[0].held?.release();
    expect(acquire(evaluated('d'), 'c4').ok).toBe(true);
  });

  it('does not count filters that a hash lookup finds', () => {
    const { acquire } = inUse();
    for (let at = 0; at < 20; at += 1) expect(acquire(literal(at)).ok).toBe(true);
  });

  it('compiles equal filters once and forgets them with their last holder', () => {
    const filters = new SharedFilters(RULES, LIMITS);
    const acquire = () => {
      const acquired = filters.acquire({ events: ['a'] }, PLACE);
      return acquired.ok ? acquired.held : null;
    };
    const [one, other] = [acquire(), acquire()];
    expect(one?.filter).toBe(other?.filter);
    expect(filters.size).toBe(1);
    one?.release();
    one?.release();
    expect(filters.size).toBe(1);
    other?.release();
    expect(filters.size).toBe(0);
    expect(filters.acquire({ events: [] }, PLACE)).toEqual({ ok: true, held: null });
    expect(filters.acquire({ events: 1 }, PLACE).ok).toBe(false);
    expect(filters.size).toBe(0);
  });
});
