import { describe, expect, it } from 'vitest';
import { MESSAGE_DIALECT } from '../src/postgres/message-dialect.js';
import { Values } from '../src/sql/message-dialect.js';

const ofMany = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const places = (count: number): string =>
  MESSAGE_DIALECT.places(
    new Values(),
    ['text', 'number', 'bytes'],
    ofMany(count, (index) => [String(index), `m${index}`, '7', 'ab']),
  );
const spans = (count: number): string =>
  MESSAGE_DIALECT.spans(
    new Values(),
    'records',
    ofMany(count, (index) => ({
      streamKey: String(index),
      generation: 1,
      messageSerial: 'm',
      after: 'a',
      upTo: 'b',
    })),
  );

describe('what a batch asks PostgreSQL of its messages', () => {
  it('is the same statement however many it asks for, so that it is planned once', () => {
    expect(places(200)).toBe(places(1));
    expect(spans(200)).toBe(spans(1));
    expect(MESSAGE_DIALECT.again).toBe(true);
  });
});
