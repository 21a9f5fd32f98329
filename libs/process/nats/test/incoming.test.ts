import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Incoming } from '../src/incoming.js';

/** Notes what is told, as texts: the bytes are valid during the call only. */
function noted() {
  const told: string[] = [];
  const incoming = new Incoming({
    info: (text) => void told.push(`info ${text}`),
    message: (sid, subject, reply, head, body) =>
      void told.push(`message ${sid} ${subject} ${reply} ${head?.toString() ?? '-'} ${body.toString()}`),
    ping: () => void told.push('ping'),
    pong: () => void told.push('pong'),
    error: (text) => void told.push(`error ${text}`),
  });
  return { told, take: (bytes: Buffer) => incoming.take(bytes) };
}

const word = fc.stringMatching(/^[\w.$*>-]{1,12}$/);
const body = fc.string({ unit: 'binary', maxLength: 40 });
const size = (text: string): number => Buffer.byteLength(text);

/** What a server may say, with what is to be told of it. */
const said = fc.oneof(
  fc.constantFrom<[string, string]>(['PING\r\n', 'ping'], ['PONG\r\n', 'pong'], ['+OK\r\n', '']),
  fc.json().map((text): [string, string] => [`INFO ${text}\r\n`, `info ${text}`]),
  fc
    .tuple(word, fc.nat(), fc.option(word), body)
    .map(([subject, sid, reply, text]): [string, string] => [
      `MSG ${subject} ${sid % 1e6} ${reply === null ? '' : `${reply} `}${size(text)}\r\n${text}\r\n`,
      `message ${sid % 1e6} ${subject} ${reply} - ${text}`,
    ]),
  fc
    .tuple(word, fc.nat(), fc.constantFrom('', ' '), body, body)
    // Where JetStream says something the place of the reply may be there and empty.
    .map(([subject, sid, noReply, head, text]): [string, string] => [
      `HMSG ${subject} ${sid % 1e6} ${noReply}${size(head)} ${size(head) + size(text)}\r\n${head}${text}\r\n`,
      `message ${sid % 1e6} ${subject} null ${head} ${text}`,
    ]),
  fc.constant<[string, string]>(["-ERR 'Stale Connection'\r\n", 'error Stale Connection']),
);

describe('what a NATS server says', () => {
  it('is understood alike however its bytes are cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(said, { maxLength: 30 }), cuts, (lines, sizes) => {
        const bytes = Buffer.from(lines.map(([line]) => line).join(''));
        const { told, take } = noted();
        for (let at = 0, piece = 0; at < bytes.byteLength; piece += 1) {
          const next = at + (sizes[piece % sizes.length] ?? 1);
          // The buffer that is read into is used again for the next piece.
          const buffer = Buffer.from(bytes.subarray(at, next));
          take(buffer);
          buffer.fill(0);
          at = next;
        }
        expect(told).toEqual(lines.map(([, meaning]) => meaning).filter((meaning) => meaning !== ''));
      }),
    );
  });

  it.each([
    'HTTP/1.1 400 Bad Request\r\n',
    'MSG a\r\n',
    'MSG a 1 r x 5\r\n',
    'MSG a 1 -5\r\n',
    'MSG a one 5\r\nhello\r\n',
    'MSG a 1 999999999\r\n',
    'HMSG a 1 9 5\r\nhello\r\n',
    `INFO ${'x'.repeat(300_000)}`,
  ])('is refused when it is not the protocol: %s', (text) => {
    const { told, take } = noted();
    expect(() => take(Buffer.from(text))).toThrow(/^the server (?:sent|does not speak)/);
    expect(told).toEqual([]);
  });

  it('never makes anything but an error of bytes that are anything', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 }), (pieces) => {
        const { take } = noted();
        try {
          for (const piece of pieces) take(Buffer.from(piece));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });
});
