import { describe, expect, it } from 'vitest';
import { DerivedFilters, DerivedSubject, readChannelName, readOwnChannelName } from '../src/index.js';
import { RuntimeCounters } from '../src/statistics/counters.js';

const TICK = 'name == `"tick"`';
const named = (encoded: string, rest = ''): string => `[filter=${encoded}${rest}]prices`;
const message = { name: 'tick', timestamp: 1, action: 0 };

describe('the name of a derived channel', () => {
  it('holds an expression in base64 of either alphabet, and params (case 54)', () => {
    expect(readChannelName(named('bmFtZSA9PSBgInRpY2siYA=='))).toMatchObject({
      base: 'prices',
      filter: TICK,
      params: {},
    });
    const url = Buffer.from('name == `"??>"`').toString('base64url');
    expect(readChannelName(named(url, '?rewind=1')).filter).toBe('name == `"??>"`');
    expect(readChannelName(named(url, '?rewind=1')).params).toEqual({ rewind: '1' });
    expect(readChannelName('[?rewind=1]prices').filter).toBeNull();
  });

  it.each(['', '!', 'YQ=', 'Y', '/w==', Buffer.alloc(4097, 'a').toString('base64')])(
    'is none with %j',
    (encoded) => {
      expect(() => readChannelName(named(encoded))).toThrow(expect.objectContaining({ code: 40_010 }));
    },
  );

  it('is nothing that can be published to or read', () => {
    expect(() => readOwnChannelName(named('bmFtZQ=='))).toThrow(expect.objectContaining({ code: 40_010 }));
    expect(readOwnChannelName('prices').base).toBe('prices');
  });
});

describe('expressions of derived channels', () => {
  const counters = new RuntimeCounters();
  const filters = new DerivedFilters(counters);
  const fits = (source: string, more: object = {}): boolean =>
    new DerivedSubject({ ...message, ...more }).fits(filters.of(source));

  it('see what there is of a message', () => {
    expect(fits(TICK)).toBe(true);
    expect(fits(TICK, { name: 'tock' })).toBe(false);
    expect(fits('data.n > `1`', { data: '{"n":2}', encoding: 'json' })).toBe(true);
    // Data is parsed as JSON only if its encoding says so.
    expect(fits('data.n > `1`', { data: '{"n":2}' })).toBe(false);
    expect(fits("headers.region == 'eu'", { extras: { headers: { region: 'eu' } } })).toBe(true);
    expect(fits("clientId == 'ada' && connectionId == '1.2'", { clientId: 'ada', connectionId: '1.2' })).toBe(
      true,
    );
    expect(fits('data', { data: 'x'.repeat(65_536) })).toBe(false);
  });

  it('are compiled once, and refused when they are none', () => {
    expect(filters.of(TICK)).toBe(filters.of(TICK));
    expect(() => filters.of('name ==')).toThrow(expect.objectContaining({ code: 40_010 }));
    expect(counters.values.filter_cache_entries).toBe(5);
    expect(counters.values.filter_cache_bytes).toBeGreaterThan(TICK.length);
  });

  it('judge a message once each', () => {
    let asked = 0;
    const accepts = (): boolean => (asked += 1) > 0;
    const subject = new DerivedSubject(message);
    expect([subject.fits({ accepts }), asked]).toEqual([true, 1]);
    const other = { accepts };
    expect([subject.fits(other), subject.fits(other), asked]).toEqual([true, true, 2]);
  });
});
