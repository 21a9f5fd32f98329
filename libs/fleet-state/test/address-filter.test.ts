import { expect, it } from 'vitest';
import { addressFilter } from '../src/gateway/address-filter.js';

it.each([
  ['198.51.100.7', '198.51.100.7', true],
  ['198.51.100.7', '198.51.100.8', false],
  ['198.51.100.0/24', '198.51.100.200', true],
  ['198.51.100.0/24', '198.51.101.1', false],
  ['2001:db8::/32', '2001:db8:1::1', true],
  ['2001:db8::/32', '198.51.100.7', false],
  ['0.0.0.0/0', null, false],
])('filter %s selects %s: %s', (filter, address, isSelected) => {
  expect(addressFilter(filter)?.(address)).toBe(isSelected);
});

it.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/8/8', '::/129', '10.0.0.0/-1'])('refuses %j', (text) => {
  expect(addressFilter(text)).toBeNull();
});
