import { expect, it } from 'vitest';
import { isSocketId, newSocketId } from '../src/index.js';

const isRight = (id: string): boolean =>
  /^\d+\.\d+$/.test(id) && isSocketId(id) && id.split('.').every((part) => Number(part) <= 10 ** 10);

it('new socket ids are two numbers up to 10^10 and do not repeat', () => {
  const ids = Array.from({ length: 10_000 }, newSocketId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !isRight(id))).toEqual([]);
});

it.each([
  '',
  '1',
  '1.',
  '.1',
  '1.2.3',
  '1.2\n',
  ' 1.2',
  '-1.2',
  '1e3.2',
  '1,2',
  '٣.١',
  `${'1'.repeat(127)}.1`,
])('%j is no socket id', (text) => {
  expect(isSocketId(text)).toBe(false);
});

it.each(['0.0', '218734.4410928', '007.1'])('%s is a socket id', (text) => {
  expect(isSocketId(text)).toBe(true);
});
