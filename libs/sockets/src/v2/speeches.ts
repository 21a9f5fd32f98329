import type { Config } from '@carillon/config';
import type { AppHub, Codec } from '@carillon/realtime';
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
import type { Edge } from '@carillon/realtime';
import type { ClientEvent, Inbound, Speech } from '../connection/speech.js';
import type { AppCodec, AppCodecs } from './app-codec.js';
import { MetaCodec } from './meta-codec.js';
import { CodecV2 } from './codec.js';
import { edgeV2 } from './edge.js';
import type { RequestsV2 } from './requests-v2.js';

/** The {@link Speech} of a protocol 2 connection. */
export interface SpeechV2 extends Speech {
  readonly codec: CodecV2;
  /** The same as the connections of an app get it. */
  readonly codecOf: (hub: AppHub) => AppCodec;
  /** Handles requests that only this protocol has. */
  readonly requests: RequestsV2;
  /** Writes a frame as text. Null for binary formats, which do not support deltas. */
  readonly write: ((frame: FrameV2) => string) | null;
  /** The codec of meta channels. */
  readonly meta: Codec;
  readonly names: WireNames;
}

/** State shared by all connections of one format. */
interface Spoken {
  readonly format: WireFormat;
  /** The codec for subscribers that receive appends immediately. */
  readonly codec: CodecV2;
  readonly read: (bytes: ArrayBuffer) => Inbound;
  readonly write: SpeechV2['write'];
  readonly meta: Codec;
  /** By acknowledgements, echo and append options; at most 60 entries. */
  readonly speeches: Map<string, SpeechV2>;
}

/** Codecs and readers of protocol 2 in each format. The library of a format is loaded with its first connection. */
export class SpeechesV2 {
  readonly #formats = new Map<WireFormat, Spoken>();
  readonly #edges: { readonly loud: Edge; readonly quiet: Edge };

  constructor(
    private readonly config: Config,
    private readonly names: WireNames,
    private readonly requests: RequestsV2,
    private readonly appCodecs: AppCodecs,
  ) {
    this.#edges = { loud: edgeV2(config, true), quiet: edgeV2(config, false) };
  }

  /** A promise the first time. */
  of(options: V2ConnectOptions): Promise<SpeechV2> | SpeechV2 {
    const known = this.#formats.get(options.format);
    if (known !== undefined) return this.#speech(known, options);
    return this.#load(options.format).then((spoken) => this.#speech(spoken, options));
  }

  /** Connections with the same options share one instance. */
  #speech(
    spoken: Spoken,
    { acks, echoMessages, appendMode, appendRollupWindowMs }: V2ConnectOptions,
  ): SpeechV2 {
    const windowMs = appendRollupWindowMs ?? this.config.ai_transport.rollup.default_window_ms;
    const key = `${acks} ${echoMessages} ${appendMode} ${windowMs}`;
    const known = spoken.speeches.get(key);
    if (known !== undefined) return known;
    const codec = spoken.codec.paced({ windowMs, wholes: appendMode === 'full' });
    const speech: SpeechV2 = {
      codec,
      codecOf: (hub) => this.appCodecs.of(hub, codec),
      format: spoken.format,
      acks,
      heartbeat: 'pinged',
      requests: this.requests,
      read: spoken.read,
      write: spoken.write,
      meta: spoken.meta,
      names: this.names,
      edge: echoMessages ? this.#edges.loud : this.#edges.quiet,
    };
    spoken.speeches.set(key, speech);
    return speech;
  }

  async #load(format: WireFormat): Promise<Spoken> {
    const wire = await loadWireFormat(format, this.names);
    // Two may have waited for the same.
    const spoken = this.#formats.get(format) ?? this.#spoken(wire);
    this.#formats.set(format, spoken);
    return spoken;
  }

  #spoken(wire: WireFormatV2): Spoken {
    const write = wire.format === 'json' ? (frame: FrameV2): string => String(wire.encode(frame)) : null;
    const read = (bytes: ArrayBuffer): Inbound => this.#read(wire, bytes);
    const { format } = wire;
    return { format, codec: new CodecV2(wire), read, write, meta: new MetaCodec(wire), speeches: new Map() };
  }

  #read(wire: WireFormatV2, bytes: ArrayBuffer): Inbound {
    // JSON text can arrive in binary frames, because the socket does not distinguish them.
    const frame = readRequestV2(wire.decode(bytes), this.names);
    if (frame.kind === 'subscribe') return { ...frame, wantsRewind: frame.rewind !== null };
    if (frame.kind !== 'client-event') return frame;
    const { data, ...event } = frame;
    return { ...event, ...dataOf(data) };
  }
}

/** Represents bytes as a list of byte values for formats without a binary type. */
function dataOf(data: ReceivedData): Pick<ClientEvent, 'dataBytes' | 'dataText'> {
  if (data.kind === 'none') return { dataText: null };
  if (data.kind === 'json') return { dataText: data.text };
  return { dataText: `[${data.bytes.join(',')}]`, dataBytes: data.bytes.length };
}
