import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isPositionId,
  listDigest,
  positionId,
  positionPart,
  readPart,
  readPositionId,
  streamDigest,
} from '../src/position/position-id.js';

const read = (id: string): string => readPositionId(id, ['a']).kind;

describe('a position id', () => {
  it('has the digests of the specification', () => {
    expect(listDigest(['orders', 'chat'])).toBe('vQJwzE');
    expect(positionPart('5a1c0e77-0000-4000-8000-000000000001', 47)).toBe('S_POoH1b');
  });

  it('is read as it was written', () => {
    const serials = fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(serials, fc.string(), (all, streamId) => {
        const channels = all.map((_, index) => `channel-${index}`);
        const id = positionId(
          listDigest(channels),
          all.map((serial) => positionPart(streamId, serial)),
        );
        const received = readPositionId(id, channels);
        const parts = received.kind === 'parts' ? received.parts.map(readPart) : [];
        expect(parts).toEqual(all.map((serial) => ({ streamDigest: streamDigest(streamId), serial })));
      }),
    );
  });

  it('is malformed, of another list or a stop mark, whatever a client sends', () => {
    const list = listDigest(['a']);
    expect(read('')).toBe('none');
    expect(read('!4009')).toBe('stop');
    expect(read(`1.${list}.~`)).toBe('parts');
    expect(read(`1.${list}.`)).toBe('parts');
    expect(read(`1.${list}..`)).toBe('malformed');
    expect(read(`2.${list}.~`)).toBe('malformed');
    expect(read(`1.${list}.${'a'.repeat(40)}`)).toBe('malformed');
    expect(read(`1.${list}.${'a'.repeat(5000)}`)).toBe('malformed');
    expect(read(`1.${listDigest(['b'])}.~`)).toBe('other_list');
    fc.assert(fc.property(fc.string(), (id) => typeof isPositionId(id) === 'boolean'));
  });
});
