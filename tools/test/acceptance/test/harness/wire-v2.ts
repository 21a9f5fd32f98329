// The wire formats of protocol 2, written anew from the specification: nothing of the service is used.
import type { FrameV2, SentFrame } from './wire-frame.js';
import { fromMessagePack, toMessagePack } from './wire-messagepack.js';
import { fromProtobuf, toProtobuf } from './wire-protobuf.js';

/** The wire formats. */
export const FORMATS = ['json', 'messagepack', 'protobuf'] as const;
export type Format = (typeof FORMATS)[number];

/** The bytes of a frame from a client. */
export function encode(format: Format, frame: SentFrame): Buffer {
  if (format === 'json') return Buffer.from(JSON.stringify(frame));
  return format === 'messagepack' ? toMessagePack(frame) : toProtobuf(frame);
}

export function decode(format: Format, bytes: Buffer): FrameV2 {
  if (format === 'json') return JSON.parse(bytes.toString()) as FrameV2;
  return format === 'messagepack' ? fromMessagePack(bytes) : fromProtobuf(bytes);
}
