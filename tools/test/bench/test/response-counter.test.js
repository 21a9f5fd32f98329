import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseCounter } from '../load/response-counter.js';
import { cutAnywhere } from './chunks.js';

/** @param {number} status @param {string} body @param {boolean} chunked */
function response(status, body, chunked) {
  const head = `HTTP/1.1 ${status} Some Text\r\nDate: now\r\n`;
  if (!chunked) return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const chunk = body === '' ? '' : `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
  return `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`;
}

const answer = fc.record({
  status: fc.constantFrom(200, 201, 401, 503),
  body: fc.string({ unit: 'binary', maxLength: 200 }),
  chunked: fc.boolean(),
});
const stream = fc.array(answer, { maxLength: 10 }).chain((answers) =>
  fc.record({
    statuses: fc.constant(answers.map(({ status }) => status)),
    chunks: cutAnywhere(
      Buffer.from(answers.map(({ status, body, chunked }) => response(status, body, chunked)).join('')),
    ),
  }),
);

const counter = () => new ResponseCounter(() => {});

describe('response counter', () => {
  it('finds the same responses however the bytes are cut', () => {
    fc.assert(
      fc.property(stream, ({ statuses, chunks }) => {
        /** @type {number[]} */
        const seen = [];
        const watched = new ResponseCounter((status) => seen.push(status));
        for (const chunk of chunks) watched.push(chunk);
        expect(seen).toEqual(statuses);
      }),
    );
  });

  it('shows what a refusal says, and nothing of a success', () => {
    /** @type {string[]} */
    const excerpts = [];
    const watched = new ResponseCounter((_, excerpt) => excerpts.push(excerpt));
    watched.push(Buffer.from(response(401, '{"code":"auth_failed"}', false) + response(200, '{}', false)));
    expect(excerpts[0]).toContain('auth_failed');
    expect(excerpts[1]).toBe('');
  });

  it('refuses what is not HTTP, and what never ends', () => {
    expect(() => counter().push(Buffer.from('SSH-2.0-x\r\n\r\n'))).toThrow('not HTTP');
    expect(() => counter().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('length');
    expect(() => counter().push(Buffer.alloc(70_000, 'x'))).toThrow('too large');
  });
});
