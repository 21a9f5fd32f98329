import { assert, ipV6, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddress, normalizeAddress, rateLimitSubject } from '../src/index.js';

const chain = { 'x-forwarded-for': '203.0.113.1, 198.51.100.2 ,192.0.2.3', 'x-real-ip': '203.0.113.9' };

describe('client address', () => {
  it.each([
    [0, '10.0.0.1'],
    [1, '192.0.2.3'],
    [2, '198.51.100.2'],
    [3, '203.0.113.1'],
    [9, '203.0.113.1'],
  ])('with %i trusted hops is %s', (hops, address) => {
    expect(clientAddress('10.0.0.1', chain, hops)).toBe(address);
  });

  it('falls back to X-Real-IP, then to the peer', () => {
    const bad = { 'x-forwarded-for': 'unknown' };
    expect(clientAddress('10.0.0.1', { ...bad, 'x-real-ip': '203.0.113.9' }, 1)).toBe('203.0.113.9');
    expect(clientAddress('10.0.0.1', { ...bad, 'x-real-ip': 'nonsense' }, 1)).toBe('10.0.0.1');
    expect(clientAddress('10.0.0.1', {}, 1)).toBe('10.0.0.1');
    expect(clientAddress('10.0.0.1', { 'x-real-ip': '203.0.113.9' }, 0)).toBe('10.0.0.1');
  });

  it('is null on a Unix socket without trusted headers', () => {
    expect(clientAddress('', {}, 0)).toBeNull();
    expect(clientAddress('', chain, 0)).toBeNull();
    expect(clientAddress('', chain, 1)).toBe('192.0.2.3');
    expect(rateLimitSubject(null)).toBe('unknown_ip');
  });

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:ffff:7f00:0001', '127.0.0.1'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '::1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8::0001', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::', '::'],
  ])('spells %s as %s', (given, one) => {
    expect(normalizeAddress(given)).toBe(one);
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.4:80', '[::1]', '256.1.1.1', '1:2:3'])('refuses %s', (text) => {
    expect(normalizeAddress(text)).toBeNull();
  });

  it('counts an IPv6 client by its /64 and an IPv4 client by itself', () => {
    expect(rateLimitSubject('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(rateLimitSubject('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(rateLimitSubject('2001:db8:1:3::9')).not.toBe('2001:db8:1:2::/64');
    expect(rateLimitSubject('192.0.2.1')).toBe('192.0.2.1');
  });

  it('has one spelling for every address', () => {
    assert(
      property(ipV6(), (address) => {
        const once = normalizeAddress(address);
        expect(once).not.toBeNull();
        expect(normalizeAddress(once ?? '')).toBe(once);
        expect(normalizeAddress(address.toUpperCase())).toBe(once);
      }),
    );
  });
});
