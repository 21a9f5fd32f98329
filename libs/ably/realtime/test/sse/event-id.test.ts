import { expect, it } from 'vitest';
import { decodeId, encodeId, isOfStream, listDigest, stopCode } from '../../src/sse/event-id.js';
import { EventPositions } from '../../src/sse/event-positions.js';

const STREAM = '5a1c0e77-0000-4000-8000-000000000001';
const NAMES = ['orders', 'chat'];
const LIST = 'vQJwzE';
const at = (serial: number) => ({ streamId: STREAM, serial });

it('encodes positions by the digests of their streams', () => {
  expect(listDigest(NAMES)).toBe(LIST);
  const parts = [{ streamId: STREAM, serial: 47 }, 'none', 'rewinding'] as const;
  expect(encodeId(LIST, parts)).toBe(`1.${LIST}.S_POoH1b..~`);
  const [position] = decodeId(`1.${LIST}.S_POoH1b..~`, LIST, 3) ?? [];
  expect(position).toEqual({ streamId: 'S_POoH', serial: 47 });
  expect(isOfStream({ streamId: 'S_POoH', serial: 0 }, STREAM)).toBe(true);
  expect(isOfStream({ streamId: 'S_POoH', serial: 0 }, 'other')).toBe(false);
});

it.each([
  '',
  '1',
  '2.vQJwzE..',
  '1.AAAAAA..',
  '1.vQJwzE.',
  '1.vQJwzE...',
  '1.vQJwzE.x.',
  '1.vQJwzE.S_POoHZZ.',
])('does not decode %j', (id) => {
  expect(decodeId(id, LIST, 2)).toBeNull();
});

it('does not decode an id above 4096 bytes', () => {
  expect(decodeId(`1.${LIST}.${'x'.repeat(4096)}.`, LIST, 2)).toBeNull();
});

it('recognises stop marks', () => {
  expect([stopCode('!40142'), stopCode('1.x'), stopCode('!')]).toEqual([40_142, null, null]);
});

it('moves the part of one channel per message, and not before its rewind is complete', () => {
  const positions = new EventPositions(NAMES, null);
  expect(positions.id).toBe(`1.${LIST}.~.~`);
  positions.attached('orders', at(46), { isResumed: false, isRewinding: false });
  positions.attached('chat', at(9), { isResumed: false, isRewinding: true });
  positions.sent('orders', at(47));
  positions.sent('chat', at(8));
  expect(positions.id).toBe(`1.${LIST}.S_POoH1b.~`);
  positions.sent('chat', at(10));
  positions.rewound('chat');
  expect(positions.id).toBe(`1.${LIST}.S_POoH1b.S_POoHa`);
  positions.stop(40_142);
  expect([positions.id, positions.firstId]).toEqual(['!40142', `1.${LIST}.S_POoH1a.~`]);
});

it('keeps the received position of a resumed channel until its missed messages are sent', () => {
  const positions = new EventPositions(['orders'], [{ streamId: 'S_POoH', serial: 1 }]);
  positions.attached('orders', { streamId: STREAM, serial: 5 }, { isResumed: true, isRewinding: false });
  expect(positions.id).toBe(`1.${listDigest(['orders'])}.S_POoH1`);
});
