import { describe, expect, it } from 'vitest';
import { readSessionBody } from '../src/session/session-body.js';

const LIMITS = { sessionPostMaxBytes: 1000, sessionPostMaxFrames: 3, maxFrameBytes: 100 };
const read = (body: string) => readSessionBody(body, LIMITS);
const frame = (seq: number): string => JSON.stringify({ seq, event: 'x' });

describe('the body of a session', () => {
  it('is one frame per line, whatever empty lines stand between, or one frame on several lines', () => {
    expect(read('')).toEqual([]);
    expect(read(`\n${frame(4)}\r\n\n${frame(5)}\n`).map(({ seq }) => seq)).toEqual([4, 5]);
    expect(read('{"seq":1,\n"event":"x"}').map(({ seq }) => seq)).toEqual([1]);
  });

  it('is refused as a whole naming the line when a seq is missing or leaves one out', () => {
    for (const [body, text] of [
      [`${frame(1)}\n{}`, 'line 2: seq'],
      [`${frame(1)}\n${frame(3)}`, 'line 2: seq must be 2'],
      [`${frame(1)}\n\n[]`, 'line 3: a frame'],
      ['{"seq":"1"}', 'line 1: seq'],
    ] as const)
      expect(() => read(body)).toThrow(text);
  });

  it('is refused when it, a frame or the number of frames is too large', () => {
    for (const body of [
      'x'.repeat(1001),
      JSON.stringify({ seq: 1, data: 'x'.repeat(100) }),
      [1, 2, 3, 4].map(frame).join('\n'),
    ])
      expect(() => read(body)).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
  });
});
