import { describe, expect, it } from 'vitest';
import { replyReader } from '../src/index.js';

class Strange extends Error {}

const { list, listOf, oneOf, pairs, text, whole } = replyReader((what) => new Strange(what));

describe('an answer of the store', () => {
  it('is read as what it is', () => {
    expect(list(['a', 1])).toEqual(['a', 1]);
    expect(listOf(['1', 2], whole)).toEqual([1, 2]);
    expect(text('')).toBe('');
    expect([whole('-3'), whole(3)]).toEqual([-3, 3]);
    expect(oneOf('b', ['a', 'b'])).toBe('b');
    expect(pairs(['a', '1', 'b', '2'])).toEqual(pairs({ a: '1', b: '2' }));
  });

  it.each([
    () => list('a'),
    () => listOf(['a'], whole),
    () => text(1),
    () => text(null),
    () => whole('1.5'),
    () => whole('many'),
    () => whole(2 ** 53),
    () => whole(null),
    () => oneOf('c', ['a', 'b']),
    () => pairs(null),
    () => pairs(['a', '1', 'b']),
    () => pairs({ a: 1 }),
  ])('is refused with the error of the caller when it is something else: %s', (read) => {
    expect(read).toThrow(Strange);
  });
});
