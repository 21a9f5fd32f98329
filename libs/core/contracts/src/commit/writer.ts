import { list } from '../codec/composites.js';
import { decoder } from '../codec/decode.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { oneOf } from '../codec/primitives.js';
import { lane, lanes, writerId } from './fields.js';

/** A history-writer lives and serves these lanes. Sent every 500 ms and at each change. */
export const WRITER = message('writer', {
  writer_id: writerId,
  lanes,
  serving: list(lane, 0, 1024),
  state: oneOf('live', 'leaving'),
});

/** Decodes a message on the writers' subject. */
export const decodeWriter = decoder(WRITER);

export type Writer = MessageOf<typeof WRITER>;
export type WriterBody = BodyOf<typeof WRITER>;
