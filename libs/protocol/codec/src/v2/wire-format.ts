import type { WireFormat } from '../connect/options.js';
import { decodeJsonV2 } from './decode-json.js';
import { encodeJsonV2 } from './encode-json.js';
import type { FrameV2 } from './frame.js';
import type { Decoded } from './received.js';
import type { WireNames } from './wire-names.js';

/** Reads and writes frames of protocol 2 in one format with one vendor's word. */
export interface WireFormatV2 {
  readonly format: WireFormat;
  /** Texts for JSON, bytes for the others. */
  encode(frame: FrameV2): string | Uint8Array;
  /** Never throws. Time and memory are linear in the frame. */
  decode(frame: ArrayBuffer | string): Decoded;
}

/** The format JSON, which is always there. */
export const jsonFormat = (names: WireNames): WireFormatV2 => ({
  format: 'json',
  encode: (frame) => encodeJsonV2(frame, names),
  decode: decodeJsonV2,
});

/** A format with its library, which is loaded only now. */
export async function loadWireFormat(format: WireFormat, names: WireNames): Promise<WireFormatV2> {
  if (format === 'json') return jsonFormat(names);
  if (format === 'messagepack') {
    const { encodeMessagePack, decodeMessagePack } = await import('./messagepack.js');
    return { format, encode: (frame) => encodeMessagePack(frame, names), decode: decodeMessagePack };
  }
  const { encodeProtobuf, decodeProtobuf } = await import('./protobuf.js');
  return { format, encode: (frame) => encodeProtobuf(frame, names), decode: decodeProtobuf };
}
