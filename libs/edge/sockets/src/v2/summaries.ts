import { summaryFrame, Tally } from '@carillon/annotations';
import type { OrdinaryChannel } from '@carillon/channels';
import type { Codec, Outlet, StreamReads } from '@carillon/hub';
import { streamName, type AnnotationSummary, type StreamAddress } from '@carillon/history-store';
import { frameError, readSummarizedV2 } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';

/** Of the messages and types that were annotated last, so many are shown to whoever subscribes. */
const MOST_SHOWN = 1000;

/** What showing summaries works with. */
export interface SummariesParts {
  /** Null: this process has no way to them. */
  readonly reads: Pick<StreamReads, 'heads' | 'summaries'> | null;
  readonly outlet: Outlet;
  /** What a frame may have where its app says nothing; 0: anything. */
  readonly maxFrameBytes: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Shows a new subscriber what the annotations of a channel come to, the one that changed last at the end. */
export class Summaries {
  constructor(private readonly parts: SummariesParts) {}

  /** Whether there may be anything to show. */
  has({ policy }: OrdinaryChannel): boolean {
    return policy.annotationsEnabled && this.parts.reads !== null;
  }

  /** Never rejects: who cannot be shown them is told so, and gets what comes from now on. */
  async show(connection: Connection, { name: channel }: OrdinaryChannel, codec: Codec): Promise<void> {
    const { outlet, onTrouble } = this.parts;
    const address: StreamAddress = { appId: connection.hub.appId, channel, kind: 'messages' };
    try {
      for (const summary of await this.#read(address)) this.#tell(connection, channel, codec, summary);
    } catch (error) {
      onTrouble('summaries of annotations', error);
      outlet.error(connection, frameError('service_unavailable', { channel }));
    }
  }

  async #read(address: StreamAddress): Promise<readonly AnnotationSummary[]> {
    const { reads } = this.parts;
    const stream = (await reads?.heads([address]))?.get(streamName(address));
    if (reads === null || stream === undefined || stream.nextAnnotationNo === 1) return [];
    const { streamKey, generation, floorMessageSerial } = stream;
    const query = { streamKey, generation, floorMessageSerial, nowMs: Date.now(), belowNo: null };
    return [...(await reads.summaries({ ...query, limit: MOST_SHOWN }))].reverse();
  }

  #tell(
    connection: Connection,
    channel: string,
    codec: Codec,
    { messageSerial, type, ...stored }: AnnotationSummary,
  ): void {
    const { maxEventPayloadBytes } = connection.hub.app.limits;
    const bytes = Number.isSafeInteger(maxEventPayloadBytes)
      ? maxEventPayloadBytes
      : this.parts.maxFrameBytes;
    const { text } = summaryFrame({ channel, messageSerial, type }, Tally.of(type, stored), bytes);
    const fact = readSummarizedV2(text, channel);
    if (fact !== null) this.parts.outlet.send(connection, fact, codec);
  }
}
