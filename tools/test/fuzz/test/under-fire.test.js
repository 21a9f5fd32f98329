import { OPCODE } from '@carillon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { judgeFrame, judgeHttp } from '../src/live/answers.js';
import { STEADY } from '../src/live/apps.js';
import { Innocents } from '../src/live/innocents.js';
import { ServerUnderFire, troubleIn } from '../src/live/server.js';

/** @param {string | Buffer} payload @param {Partial<import('@carillon/testing').RawFrame>} [more] */
const frame = (payload, more = {}) => ({
  opcode: OPCODE.text,
  isFinal: true,
  payload: Buffer.from(/** @type {string} */ (payload)),
  ...more,
});

describe('what the service says under fire is judged', () => {
  it.each([
    ['no JSON', frame('{')],
    ['no event', frame('{"data":1}')],
    ['no UTF-8', frame(Buffer.from([0xff]))],
    ['a fragment', frame('{"event":"pusher:pong"}', { isFinal: false })],
    ['binary', frame('{"event":"pusher:pong"}', { opcode: OPCODE.binary })],
    ['the other protocol', frame('{"event":"service:pong"}')],
    ['an error code nobody knows', frame('{"event":"pusher:error","data":{"code":4242,"message":"x"}}')],
    ['a close code nobody knows', frame(Buffer.from([0x10, 0x92]), { opcode: OPCODE.close })],
  ])('%s is wrong', (_, wrong) => {
    expect(() => judgeFrame(wrong)).toThrow(/./);
  });

  it('and named when it is right', () => {
    expect(judgeFrame(frame('{"event":"pusher:pong"}'))).toBe('pusher:pong');
    expect(judgeFrame(frame(Buffer.from([0x0f, 0xa1]), { opcode: OPCODE.close }))).toBe('close 4001');
    expect(judgeFrame(frame(Buffer.from([0x10, 0x92]), { opcode: OPCODE.close }), true)).toContain(
      'of the client',
    );
    expect(judgeHttp(Buffer.from('HTTP/1.1 426 Upgrade Required\r\n'))).toBe('http 426');
    expect(() => judgeHttp(Buffer.from('HTTP/1.1 500 Oh\r\n'))).toThrow('internal error');
    expect(() => judgeHttp(Buffer.from('oh'))).toThrow('status line');
  });
});

describe('a process that falls under fire', () => {
  /** @type {ServerUnderFire | undefined} */
  let server;
  afterEach(() => server?.stop());

  it('is noticed, by itself and by the innocent clients', async () => {
    server = await ServerUnderFire.start();
    expect(await server.ailment()).toBeNull();
    const group = await Innocents.start(server.port, STEADY, 'client');
    await server.child.kill();
    expect(await server.ailment()).toContain('the process ended');
    expect(await group.finish()).not.toEqual([]);
  });

  it.each([
    'uncaughtException: x',
    '{"level":"ERROR","target":"service::ops"}',
    'TypeError: x is not a function',
    'unhandled rejection',
  ])('is noticed by what its log says: %s', (line) => {
    expect(troubleIn(`{"level":"INFO"}\n${line}\n{"level":"WARN"}\n`)).toBe(line);
    expect(troubleIn('{"level":"INFO"}\n{"level":"WARN"}\n')).toBeNull();
  });
});
