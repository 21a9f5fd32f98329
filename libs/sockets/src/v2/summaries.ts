import { storedSummaryFrame } from '@carillon/history-annotations';
import type { OrdinaryChannel } from '@carillon/channels';
import { type Codec, type Outlet, Patience, type StreamReads } from '@carillon/realtime';
import { streamName, type AnnotationSummary, type StreamAddress } from '@carillon/history-store';
import { frameError, readSummarizedV2 } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import type { Connection } from '../connection/connection.js';

/** Of the messages and types that were annotated last, so many are shown to whoever subscribes. */
const MOST_SHOWN = 1000;
/** Summaries of one read, each of which may be of many clients. */
const PAGE = 50;

/** What showing summaries works with. */
export interface SummariesParts {
  /** Null: this process has no way to them. */
  readonly reads: Pick<StreamReads, 'heads' | 'summaries'> | null;
  readonly outlet: Pick<Outlet, 'error' | 'send'>;
  /** The part of the event loop that reading and sending summaries takes. */
  readonly share: LoopShare;
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
      const patience = new Patience(connection);
      for (const summary of await this.#read(address)) {
        if (connection.lane !== null) await patience.isReading();
        await this.#inTurn(address, () => {
          if (connection.isOpen) this.#tell(connection, channel, codec, summary);
        });
      }
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
    const query = { streamKey, generation, floorMessageSerial, nowMs: Date.now() };
    const found: AnnotationSummary[] = [];
    for (let belowNo: number | null = null; found.length < MOST_SHOWN;) {
      const turn = this.parts.share.turn(address.appId);
      if (turn !== undefined) await turn;
      const page: readonly AnnotationSummary[] = await reads.summaries({ ...query, belowNo, limit: PAGE });
      found.push(...page);
      belowNo = page.at(-1)?.lastNo ?? null;
      if (page.length < PAGE) break;
    }
    return found.reverse();
  }

  /** Runs a piece of work in its turn of the event loop. */
  async #inTurn({ appId }: StreamAddress, work: () => void): Promise<void> {
    const { share } = this.parts;
    const turn = share.turn(appId);
    if (turn !== undefined) await turn;
    share.measure(work);
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
    const { text } = storedSummaryFrame({ channel, messageSerial, type }, stored, bytes);
    const fact = readSummarizedV2(text, channel);
    if (fact !== null) this.parts.outlet.send(connection, fact, codec);
  }
}
