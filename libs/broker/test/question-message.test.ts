import { decoder, encode, REQUEST, TOKEN_REVOKED } from '@carillon/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOf, writing } from '../src/cluster/question-message.js';
import type { Question } from '../src/index.js';
import { KINDS } from './samples.js';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const user = fc.record({ userId: name });
const questions: { readonly [Kind in keyof Question]: fc.Arbitrary<Question[Kind]> } = {
  channels_with_sockets_count: fc.record({ prefix: fc.oneof(name, fc.constant('')) }),
  batch_channel_sockets_count: fc.record({ channels: fc.array(name) }),
  sockets_count: fc.constant(null),
  meta_watched: fc.record({ channels: fc.array(name) }),
  terminate_user: user,
  force_reconnect: user,
  token_revoked: fc
    .record({ jti: fc.option(name), clientId: fc.option(name) })
    .filter(({ jti, clientId }) => jti !== null || clientId !== null),
  acting_socket: fc.record({ socketId: fc.constantFrom('1.2', '34.5'), channel: name }),
  channel_occupancy: fc.record({ channel: name }),
  connection_taken: fc.record({
    socketId: fc.constantFrom('1.2', '34.5'),
    keyHash: fc.constantFrom('ab', '0f'),
  }),
  comet_request: fc.record({
    verb: fc.constantFrom('recv', 'send', 'close', 'disconnect', 'deliver'),
    keyHash: fc.constantFrom('ab', ''),
    receiver: fc.option(fc.constantFrom('r', 's')),
    isOnce: fc.option(fc.boolean()),
    body: fc.option(name),
  }),
  stream_frames: fc.record({ session: name, secretHash: fc.constantFrom('ab', '0f'), frames: name }),
  stream_end: fc.record({
    session: name,
    secretHash: fc.constantFrom('ab', '0f'),
    frames: fc.constant(null),
  }),
};
const HEAD = { request_id: 'r', node_id: 'node-1', app_id: 'shop' };
const MAX_BYTES = 100_000;
const decode = decoder(REQUEST, TOKEN_REVOKED);

function sent<Kind extends keyof Question>(kind: Kind, about: Question[Kind]) {
  const body = { ...HEAD, ...writing(kind).ask(about) };
  const type: keyof Question = kind;
  const encoded =
    type === 'token_revoked'
      ? encode(TOKEN_REVOKED, body, MAX_BYTES)
      : encode(REQUEST, { ...body, request_type: type }, MAX_BYTES);
  if (!encoded.ok) throw new Error(encoded.detail);
  const decoded = decode(Buffer.from(encoded.text), MAX_BYTES);
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.message;
}

describe('a question on its way', () => {
  it.each(KINDS)('about %s arrives as it was asked', (kind) => {
    fc.assert(
      fc.property(questions[kind] as fc.Arbitrary<Question[typeof kind]>, (about) => {
        const message = sent(kind, about);
        expect(kindOf(message)).toBe(kind);
        expect(writing(kind).asked(message)).toEqual(about);
      }),
    );
  });

  it('about revoked tokens is none when it names nobody', () => {
    expect(writing('token_revoked').asked({})).toBeUndefined();
  });
});
