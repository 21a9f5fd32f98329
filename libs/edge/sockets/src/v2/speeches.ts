import type { Config } from '@carillon/config';
import type { Codec } from '@carillon/hub';
import {
  type FrameV2,
  loadWireFormat,
  readRequestV2,
  type ReceivedData,
  type V2ConnectOptions,
  type WireFormat,
  type WireFormatV2,
  type WireNames,
} from '@carillon/protocol';
import type { Inbound, Speech } from '../connection/speech.js';
import { MetaCodec } from './meta-codec.js';
import { CodecV2 } from './codec.js';
import { edgeV2 } from './edge.js';
import type { RequestsV2 } from './requests-v2.js';

/** How a connection of protocol 2 speaks. */
export interface SpeechV2 extends Speech {
  /** What answers requests that only this protocol has. */
  readonly requests: RequestsV2;
  /** How frames are written as texts; null: they are not, so that there are no differences of them. */
  readonly write: ((frame: FrameV2) => string) | null;
  /** What is told on meta channels is said with. */
  readonly meta: Codec;
}

/** Both kinds of connections of one format: those that get what they sent themselves, and those that do not. */
interface Spoken {
  readonly loud: SpeechV2;
  readonly quiet: SpeechV2;
}

/** How protocol 2 is spoken in each format. The library of a format is loaded with its first connection. */
export class SpeechesV2 {
  readonly #known = new Map<WireFormat, Spoken>();

  constructor(
    private readonly config: Config,
    private readonly names: WireNames,
    private readonly requests: RequestsV2,
  ) {}

  /** A promise the first time. */
  of({ format, echoMessages }: V2ConnectOptions): Promise<SpeechV2> | SpeechV2 {
    const pick = ({ loud, quiet }: Spoken): SpeechV2 => (echoMessages ? loud : quiet);
    const known = this.#known.get(format);
    return known === undefined ? this.#load(format).then(pick) : pick(known);
  }

  async #load(format: WireFormat): Promise<Spoken> {
    const wire = await loadWireFormat(format, this.names);
    // Two may have waited for the same.
    const spoken = this.#known.get(format) ?? this.#spoken(wire);
    this.#known.set(format, spoken);
    return spoken;
  }

  #spoken(wire: WireFormatV2): Spoken {
    const { config, requests } = this;
    const write = wire.format === 'json' ? (frame: FrameV2): string => String(wire.encode(frame)) : null;
    const meta = new MetaCodec(wire);
    const shared = { codec: new CodecV2(wire), meta, heartbeat: 'pinged', requests, write } as const;
    const read = (bytes: ArrayBuffer): Inbound => this.#read(wire, bytes);
    return {
      loud: { ...shared, read, edge: edgeV2(config, true) },
      quiet: { ...shared, read, edge: edgeV2(config, false) },
    };
  }

  #read(wire: WireFormatV2, bytes: ArrayBuffer): Inbound {
    // Text of JSON may come in binary frames too; the socket does not tell them apart.
    const frame = readRequestV2(wire.decode(bytes), this.names);
    if (frame.kind === 'subscribe') return { ...frame, wantsRewind: frame.rewind !== null };
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
