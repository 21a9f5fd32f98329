import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameCounter, OPCODE } from '../load/frame-counter.js';
import { clientFrame } from '../load/frames.js';
import { markedData, markedTime } from '../load/marker.js';
import { cutAnywhere } from './chunks.js';

/** As a server writes it: unmasked. @param {number} opcode @param {Buffer} payload */
function serverFrame(opcode, payload) {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(length < 126 ? length : length < 65_536 ? 126 : 127, 1);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

const frame = fc.record({
  opcode: fc.constantFrom(OPCODE.text, OPCODE.binary, OPCODE.ping, OPCODE.pong),
  size: fc.oneof(fc.constantFrom(0, 1, 125, 126, 127), fc.nat(400), fc.constantFrom(65_535, 65_536, 70_000)),
});
const stream = fc.array(frame, { maxLength: 12 }).chain((frames) =>
  fc.record({
    frames: fc.constant(frames),
    chunks: cutAnywhere(
      Buffer.concat(frames.map(({ opcode, size }) => serverFrame(opcode, Buffer.alloc(size, opcode)))),
    ),
  }),
);

describe('frame counter', () => {
  it('counts the same messages however the bytes are cut', () => {
    fc.assert(
      fc.property(stream, fc.boolean(), ({ frames, chunks }, keep) => {
        /** @type {{ opcode: number, size: number }[]} */
        const seen = [];
        const counter = new FrameCounter({
          onFrame: (opcode, payload) => {
            expect(payload.every((byte) => byte === opcode)).toBe(true);
            seen.push({ opcode, size: payload.length });
          },
          keepData: () => keep,
        });
        for (const chunk of chunks) counter.push(chunk);
        const data = frames.filter(({ opcode }) => opcode < OPCODE.close);
        expect(counter.messages).toBe(data.length);
        const shown = keep ? frames : frames.filter(({ opcode }) => opcode >= OPCODE.close);
        expect(seen).toEqual(shown.map(({ opcode, size }) => ({ opcode, size: Math.min(size, 65_536) })));
      }),
      { numRuns: 60 },
    );
  });

  it('counts a message in fragments once', () => {
    const first = serverFrame(OPCODE.text, Buffer.from('one'));
    first.writeUInt8(OPCODE.text, 0);
    const counter = new FrameCounter({ onFrame: () => {}, keepData: () => false });
    counter.push(Buffer.concat([first, serverFrame(0, Buffer.from('two'))]));
    expect(counter.messages).toBe(1);
  });
});

describe('client frame', () => {
  it('has the masked head a server demands, in both sizes', () => {
    expect(clientFrame(OPCODE.text, Buffer.from('hi')).toString('hex')).toBe('8182000000006869');
    const wide = clientFrame(OPCODE.text, Buffer.alloc(300));
    expect([wide.length, wide.readUInt8(1), wide.readUInt16BE(2)]).toEqual([308, 0xfe, 300]);
  });
});

describe('time marker', () => {
  it('is found wherever the server put the data', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 300 }), fc.string(), (dueUs, bytes, event) => {
        const data = markedData(dueUs, bytes);
        expect(data.length).toBe(Math.max(21, bytes));
        expect(markedTime(Buffer.from(JSON.stringify({ event: event.replaceAll('~', ''), data })))).toBe(
          dueUs,
        );
      }),
    );
    expect(markedTime(Buffer.from('{"event":"pusher:ping"}'))).toBeNull();
  });
});
