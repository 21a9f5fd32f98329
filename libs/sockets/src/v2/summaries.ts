import { storedSummaryFrame } from '@carillon/history-annotations';
import type { OrdinaryChannel } from '@carillon/channels';
import { type Codec, type Outlet, Patience, type StreamReads } from '@carillon/realtime';
import { streamName, type AnnotationSummary, type StreamAddress } from '@carillon/history-store';
import { frameError, readSummarizedV2 } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import type { Connection } from '../connection/connection.js';

/** The limit of summaries sent to a new subscriber: those of the most recently annotated messages and types. */
const MAX_SHOWN = 1000;
/** The page size of summaries, each of which can contain many clients. */
const PAGE = 50;

/** Dependencies of {@link Summaries}. */
export interface SummariesParts {
  /** Null: this process has no way to them. */
  readonly reads: Pick<StreamReads, 'heads' | 'summaries'> | null;
  readonly outlet: Pick<Outlet, 'error' | 'send'>;
  /** The part of the event loop that reading and sending summaries takes. */
  readonly share: LoopShare;
  /** The frame size limit if the app sets none; 0 means unlimited. */
  readonly maxFrameBytes: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Sends the annotation summaries of a channel to a new subscriber, the most recently changed one last. */
export class Summaries {
  constructor(private readonly parts: SummariesParts) {}

  /** Whether there may be anything to show. */
  has({ policy }: OrdinaryChannel): boolean {
    return policy.annotationsEnabled && this.parts.reads !== null;
  }

  /** Never rejects. If the summaries cannot be read, the client receives an error and then live summaries only. */
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
    for (let belowNo: number | null = null; found.length < MAX_SHOWN;) {
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
