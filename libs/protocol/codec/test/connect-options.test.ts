import { ServiceError } from '@carillon/errors';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConnectOptions } from '../src/index.js';

const RULES = {
  echoControlEnabled: true,
  defaultEchoMessages: true,
  minRollupWindowMs: 20,
  maxRollupWindowMs: 100,
};
const V1 = { protocol: 1, client: '', version: '', bringsToken: false };
const V2 = {
  protocol: 2,
  client: '',
  version: '',
  format: 'json',
  echoMessages: true,
  appendMode: 'delta',
  acks: false,
  appendRollupWindowMs: null,
  token: null,
};
const parse = (query: string, rules = {}): unknown => parseConnectOptions(query, { ...RULES, ...rules });

/** First word of the refusal; empty for an accepted query. */
function refusedParameter(query: string): string {
  try {
    parse(query);
    return 'none';
  } catch (error) {
    const isRefusal = error instanceof ServiceError && error.code === 'invalid_input';
    return isRefusal ? (error.message.split(' ')[0] ?? '') : String(error);
  }
}

describe('connect options', () => {
  it.each([
    '',
    'protocol=1',
    'protocol=7&flash=false',
    'protocol=99',
    'protocol=0',
    'protocol=255',
    'protocol=07',
  ])('of %j are those of protocol 1', (query) => {
    expect(parse(query)).toEqual(V1);
  });

  it('of protocol 1 ignore what only protocol 2 knows', () => {
    const query = 'protocol=1&format=avro&echo_messages=maybe&append_mode=x&append_rollup_window=3';
    expect(parse(query)).toEqual(V1);
  });

  it('of protocol 1 tell that a token was brought', () => {
    expect(parse('token=abc')).toEqual({ ...V1, bringsToken: true });
    expect(parse('token=')).toEqual(V1);
  });

  it('name the client library, cut at 128 characters', () => {
    expect(parse(`client=js%20lib&version=${'8'.repeat(200)}`)).toEqual({
      ...V1,
      client: 'js lib',
      version: '8'.repeat(128),
    });
  });

  it.each([
    ['', {}],
    ['format=', {}],
    ['format=%20MsgPack%20', { format: 'messagepack' }],
    ['format=messagepack', { format: 'messagepack' }],
    ['format=protobuf', { format: 'protobuf' }],
    ['format=proto', { format: 'protobuf' }],
    ['echo_messages=0', { echoMessages: false }],
    ['echo_messages=false', { echoMessages: false }],
    ['echo_messages=1', { echoMessages: true }],
    ['acks=true', { acks: true }],
    ['append_mode=', {}],
    ['append_mode=full', { appendMode: 'full' }],
    ['append_rollup_window=40', { appendRollupWindowMs: 40 }],
    ['token=a.b.c', { token: 'a.b.c' }],
    ['format=proto&format=json', {}],
  ])('of protocol 2 with %j hold %j', (query, more) => {
    expect(parse(`protocol=2&${query}`)).toEqual({ ...V2, ...more });
  });

  it('follow the configuration of echo', () => {
    expect(parse('protocol=2', { defaultEchoMessages: false })).toEqual({ ...V2, echoMessages: false });
    const off = { echoControlEnabled: false, defaultEchoMessages: false };
    expect(parse('protocol=2&echo_messages=maybe', off)).toEqual(V2);
  });

  it.each([
    ['protocol=abc', 'protocol'],
    ['protocol=', 'protocol'],
    ['protocol=256', 'protocol'],
    ['protocol=-1', 'protocol'],
    ['protocol=2.0', 'protocol'],
    [`protocol=${'9'.repeat(400)}`, 'protocol'],
    ['protocol=2&format=avro', 'format'],
    ['protocol=2&acks=maybe', 'acks'],
    ['protocol=2&echo_messages=', 'echo_messages'],
    ['protocol=2&echo_messages=True', 'echo_messages'],
    ['protocol=2&append_mode=snapshot', 'append_mode'],
    ['protocol=2&append_rollup_window=30', 'append_rollup_window'],
    ['protocol=2&append_rollup_window=0', 'append_rollup_window'],
    ['protocol=2&append_rollup_window=500', 'append_rollup_window'],
    ['protocol=2&append_rollup_window=', 'append_rollup_window'],
  ])('refuse %j naming %s', (query, parameter) => {
    expect(refusedParameter(query)).toBe(parameter);
  });

  it('of any query are read or refused with 400', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        expect(['none', 'protocol', 'format']).toContain(refusedParameter(query));
      }),
    );
  });
});
