import type { Config } from '@carillon/config';
import {
  loadWireFormat,
  readRequestV2,
  type ReceivedData,
  type WireFormat,
  type WireFormatV2,
  WireNames,
} from '@carillon/protocol';
import type { Inbound, Speech } from '../connection/speech.js';
import { CodecV2 } from './codec.js';
import { edgeV2 } from './edge.js';

/** How protocol 2 is spoken in each format. The library of a format is loaded with its first connection. */
export class SpeechesV2 {
  readonly names: WireNames;
  readonly #edge;
  readonly #known = new Map<WireFormat, Speech>();

  constructor(config: Config) {
    this.names = new WireNames(config.protocol.vendor_prefix);
    this.#edge = edgeV2(config);
  }

  /** A promise the first time. */
  of(format: WireFormat): Promise<Speech> | Speech {
    return this.#known.get(format) ?? this.#load(format);
  }

  async #load(format: WireFormat): Promise<Speech> {
    const wire = await loadWireFormat(format, this.names);
    // Two may have waited for the same.
    const speech = this.#known.get(format) ?? this.#speech(wire);
    this.#known.set(format, speech);
    return speech;
  }

  #speech(wire: WireFormatV2): Speech {
    return { edge: this.#edge, codec: new CodecV2(wire), read: (bytes) => this.#read(wire, bytes) };
  }

  #read(wire: WireFormatV2, bytes: ArrayBuffer): Inbound {
    // Text of JSON may come in binary frames too; the socket does not tell them apart.
    const frame = readRequestV2(wire.decode(bytes), this.names);
    if (frame.kind !== 'client-event') return frame;
    const { event, channel, data, messageId, extrasText } = frame;
    return { kind: 'client-event', event, channel, dataText: dataText(data), messageId, extrasText };
  }
}

/** Bytes are shown to others as JSON shows them. */
function dataText(data: ReceivedData): string | null {
  if (data.kind === 'none') return null;
  return data.kind === 'json' ? data.text : `[${data.bytes.join(',')}]`;
}
