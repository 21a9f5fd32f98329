import { describe, expect, it } from 'vitest';
import { argumentsSchema, DESCRIPTIONS, inputOfArguments, jsonBody } from '../src/index.js';

/** The members that an operation takes as one object; those it needs are marked. */
function members(name: keyof typeof DESCRIPTIONS): string[] {
  const { properties, required = [] } = argumentsSchema(DESCRIPTIONS[name]) as {
    properties: Record<string, unknown>;
    required?: readonly string[];
  };
  return Object.keys(properties).map((one) => (required.includes(one) ? `${one}!` : one));
}

const CONFIRMED = ['confirm_channel!', 'confirm_operation!', 'reason!', 'requested_by'];
const PAGE = ['limit', 'direction', 'cursor', 'start_serial', 'end_serial', 'start_time_ms', 'end_time_ms'];

describe('the arguments of an operation', () => {
  it.each<[keyof typeof DESCRIPTIONS, string[]]>([
    ['publishBatch', ['idempotency_key', 'batch!']],
    ['listChannels', ['filter_by_prefix', 'info']],
    ['channelState', ['channel!', 'info']],
    ['channelUsers', ['channel!']],
    ['readHistory', ['channel!', ...PAGE]],
    ['historyState', ['channel!']],
    ['resetHistory', ['channel!', ...CONFIRMED]],
    ['purgeHistory', ['channel!', ...CONFIRMED, 'mode!', 'before_serial', 'before_time_ms']],
    ['readPresenceHistory', ['channel!', ...PAGE]],
    ['presenceSnapshot', ['channel!', 'at_serial', 'at_time_ms']],
    ['terminateConnections', ['user_id!']],
    ['revokeTokens', ['jti', 'client_id', 'ttl_seconds', 'expires_at', 'reason']],
  ])('of %s are all that it takes', (name, expected) => {
    expect(members(name)).toEqual(expected);
  });

  it('of a publish are its members, with one channel or several', () => {
    const expected =
      'name! channels channel data socket_id info tags delta idempotency_key message_id extras'.split(' ');
    expect(members('publishEvent').sort()).toEqual(expected.sort());
    expect(argumentsSchema(DESCRIPTIONS.publishEvent)).toMatchObject({
      type: 'object',
      anyOf: [{ required: ['channels'] }, { required: ['channel'] }],
      additionalProperties: false,
    });
  });

  it('say what they may be', () => {
    expect(argumentsSchema(DESCRIPTIONS.channelState)).toMatchObject({
      properties: {
        channel: { type: 'string', minLength: 1 },
        info: {
          type: 'array',
          items: { enum: ['subscription_count', 'user_count', 'cache'] },
          uniqueItems: true,
        },
      },
    });
    expect(argumentsSchema(DESCRIPTIONS.readHistory)).toMatchObject({
      properties: { limit: { type: 'integer' }, cursor: { type: 'string' } },
    });
  });

  it('become the input: lists are joined, numbers written, null is absent, a key is the request’s', () => {
    const given = jsonBody({ channel: 'a', info: ['user_count', 'cache'] });
    expect(inputOfArguments(DESCRIPTIONS.channelState, given)).toEqual({
      channel: 'a',
      info: 'user_count,cache',
    });
    const page = jsonBody({ channel: 'a', limit: 7, cursor: null, start_serial: '12' });
    expect(inputOfArguments(DESCRIPTIONS.readHistory, page)).toMatchObject({
      channel: 'a',
      limit: '7',
      cursor: undefined,
      start_serial: '12',
    });
    const batch = jsonBody({ batch: [], idempotency_key: 'k' });
    expect(inputOfArguments(DESCRIPTIONS.publishBatch, batch)).toEqual({ requestKey: 'k', body: batch });
  });
});
