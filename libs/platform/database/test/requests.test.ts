import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestReader } from '../src/embedded/requests.js';

function message(code: string, body: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(5);
  head.write(code, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function greeting(word: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(8);
  bytes.writeInt32BE(word, 4);
  return bytes;
}

const VERSION_3 = 196_608;
const start = greeting(VERSION_3);

describe('the requests of a client', () => {
  it('are whole however they are cut', () => {
    const body = fc.uint8Array({ maxLength: 40 });
    const asked = fc.array(fc.tuple(fc.array(fc.tuple(fc.constantFrom('P', 'B', 'D', 'E'), body)), body));
    fc.assert(
      fc.property(asked, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (requests, cuts) => {
        const wanted = requests.map(([before, last]) =>
          Buffer.concat([...before.map(([code, bytes]) => message(code, bytes)), message('S', last)]),
        );
        const sent = Buffer.concat([greeting(80_877_103), start, ...wanted]);
        const reader = new RequestReader();
        const read = [];
        for (let at = 0, cut = 0; at < sent.length; cut += 1) {
          const size = cuts[cut % cuts.length] ?? 1;
          read.push(...reader.push(sent.subarray(at, at + size)));
          at += size;
        }
        expect(read).toEqual([
          { kind: 'encryption' },
          { kind: 'run', bytes: start },
          ...wanted.map((bytes) => ({ kind: 'run', bytes })),
        ]);
      }),
    );
  });

  it('end with a goodbye or the wish to cancel', () => {
    const reader = new RequestReader();
    expect(reader.push(Buffer.concat([start, message('X')]))).toMatchObject([
      { kind: 'run' },
      { kind: 'end' },
    ]);
    expect(new RequestReader().push(greeting(80_877_102))).toEqual([{ kind: 'end' }]);
  });

  it('that are of no such protocol are refused', () => {
    expect(() => new RequestReader().push(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow('protocol');
    const reader = new RequestReader();
    reader.push(start);
    expect(() => reader.push(Buffer.from([0x51, 0, 0, 0, 1]))).toThrow('protocol');
  });
});
