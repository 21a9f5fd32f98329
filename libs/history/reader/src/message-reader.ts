import { annotationText, storedSummaryFrame } from '@carillon/history-annotations';
import type { AnnotationSummary, DurableStore, StoredMessage, Stream } from '@carillon/history-store';
import { latestItem, versionItem } from '@carillon/history-messages';
import { inTime } from './in-time.js';
import type { ReadTurns } from './read-turns.js';

/** Store operations used by the reader, local or through a writer. */
export type MessageSource = Pick<
  DurableStore,
  'annotations' | 'heads' | 'messages' | 'summaries' | 'versions'
>;

export interface MessageReaderParts {
  readonly store: MessageSource;
  readonly now: () => number;
  /** In which the reads of clients take turns. Absent: every read runs at once. */
  readonly turns?: ReadTurns;
}

export interface MessageReaderOptions {
  /** Time budget of one read. */
  readonly timeoutMs: number;
  /** Retention of versions; null: unlimited. */
  readonly windowMs: number | null;
}

/** Address of a message. */
export interface MessagePlace {
  readonly appId: string;
  readonly channel: string;
  readonly messageSerial: string;
}

/** Requested versions. */
export interface VersionsRequest {
  readonly limit: number;
  readonly newestFirst: boolean;
  /** A version serial, exclusive; null: from the end. */
  readonly after: string | null;
}

export interface AnnotationsRequest {
  readonly limit: number;
  readonly type: string | null;
  /** An annotation serial, exclusive; null: from the first. */
  readonly after: string | null;
}

/** The streams of answers of a channel. */
export interface StreamsState {
  readonly open: number;
  /** Null: nothing was published. */
  readonly lastHistorySerial: number | null;
  /** Messages that are kept. */
  readonly messages: number;
}

/** Part of something, and whether more follows. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Position of the next page; null: no more. */
  readonly last: string | null;
}

/** Annotations that are read at once where all of a type are looked through. */
const WALK = 500;
/** Summaries that are read at once. */
const MAX_SUMMARIES = 200;

/** The last digits of an annotation serial are the number of the annotation. */
const NUMBER_DIGITS = 20;

/**
 * Reads mutable messages, their versions and annotations. Callers have checked that the channel has mutable messages.
 * Rejects with `service_unavailable` if the result would be incomplete.
 */
export class MessageReader {
  constructor(
    private readonly parts: MessageReaderParts,
    private readonly options: MessageReaderOptions,
  ) {}

  /** Returns the latest version of a message; null if it does not exist. */
  latest(place: MessagePlace): Promise<unknown> {
    return this.#read(place.appId, async () => {
      const found = await this.#find(place);
      return found === null ? null : JSON.parse(latestItem(place.channel, found.message));
    });
  }

  /** Null: there is no such message. */
  versions(place: MessagePlace, request: VersionsRequest): Promise<Listed<unknown> | null> {
    return this.#read(place.appId, async () => {
      const found = await this.#find(place);
      if (found === null) return null;
      const { limit, newestFirst, after } = request;
      const { streamKey, generation } = found.stream;
      const { messageSerial, channel } = place;
      const query = { streamKey, generation, messageSerial, newestFirst, after, limit: limit + 1 };
      const rows = await this.parts.store.versions({ ...query, sinceMs: this.#sinceMs() });
      this.parts.turns?.chargeRecords(rows);
      const shown = rows.slice(0, limit);
      return {
        items: shown.map((record) => JSON.parse(versionItem(channel, record)) as unknown),
        hasMore: rows.length > limit,
        last: shown.at(-1)?.versionSerial ?? null,
      };
    });
  }

  /** Empty if the message does not exist. */
  annotations(place: MessagePlace, request: AnnotationsRequest): Promise<Listed<unknown>> {
    return this.#read(place.appId, async () => {
      const found = await this.#find(place);
      if (found === null) return { items: [], hasMore: false, last: null };
      const { limit, type, after } = request;
      const rows = await this.parts.store.annotations({
        streamKey: found.stream.streamKey,
        messageSerial: place.messageSerial,
        type,
        sinceMs: this.#sinceMs(),
        afterNo: after === null ? 0 : numberOf(after),
        limit: limit + 1,
      });
      this.parts.turns?.charge(rows.length);
      const shown = rows.slice(0, limit);
      return {
        items: shown.map((event) => JSON.parse(annotationText(event)) as unknown),
        hasMore: rows.length > limit,
        last: shown.at(-1)?.annotationSerial ?? null,
      };
    });
  }

  /** Returns the latest equal annotation that is not deleted; null if none. */
  latestAnnotation(
    place: MessagePlace,
    {
      type,
      clientId,
      name,
    }: { readonly type: string; readonly clientId: string; readonly name: string | null },
  ): Promise<string | null> {
    return this.#read(place.appId, async () => {
      const found = await this.#find(place);
      if (found === null) return null;
      const { streamKey } = found.stream;
      const query = { streamKey, messageSerial: place.messageSerial, type, sinceMs: this.#sinceMs() };
      const alike = new Map<number, string>();
      for (let afterNo = 0; ;) {
        const rows = await this.parts.store.annotations({ ...query, afterNo, limit: WALK });
        this.parts.turns?.charge(rows.length);
        for (const row of rows) {
          afterNo = row.annotationNo;
          if (row.targetNo !== null) alike.delete(row.targetNo);
          else if (row.clientId === clientId && (name === null || row.name === name))
            alike.set(row.annotationNo, row.annotationSerial);
        }
        if (rows.length < WALK) return [...alike.values()].at(-1) ?? null;
      }
    });
  }

  /**
   * Returns the summaries by type of up to a page of messages, each truncated to a byte limit by omitting clients.
   * Messages without annotations are omitted.
   */
  summaries(
    { appId, channel }: Omit<MessagePlace, 'messageSerial'>,
    messageSerials: readonly string[],
    maxBytes: number,
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
    return this.#read(appId, async () => {
      const { store, now } = this.parts;
      const all = new Map<string, Readonly<Record<string, unknown>>>();
      if (messageSerials.length === 0) return all;
      const [stream] = (await store.heads([{ appId, channel, kind: 'messages' }])).values();
      if (stream === undefined) return all;
      const { streamKey, generation, floorMessageSerial } = stream;
      const about = { streamKey, generation, floorMessageSerial, nowMs: now(), messageSerials };
      const query = { ...about, limit: MAX_SUMMARIES };
      for (let belowNo: number | null = null; ;) {
        const rows: readonly AnnotationSummary[] = await store.summaries({ ...query, belowNo });
        this.parts.turns?.charge(rows.length);
        for (const row of rows) {
          const { text } = storedSummaryFrame({ ...row, channel }, row, maxBytes);
          const told = JSON.parse(text) as { data: { annotations: { summary: Record<string, unknown> } } };
          all.set(row.messageSerial, { ...told.data.annotations.summary, ...all.get(row.messageSerial) });
          belowNo = row.lastNo;
        }
        if (rows.length < MAX_SUMMARIES) return all;
      }
    });
  }

  /** Returns the state of a channel's streams; empty for a channel without writes. */
  streams(appId: string, channel: string): Promise<StreamsState> {
    return this.#read(appId, async () => {
      const found = await this.parts.store.heads([{ appId, channel, kind: 'messages' }]);
      const [stream] = found.values();
      const lastSerial = (stream?.nextHistorySerial ?? 1) - 1;
      return {
        open: stream?.openStreams ?? 0,
        lastHistorySerial: lastSerial === 0 ? null : lastSerial,
        messages: stream?.retainedMessages ?? 0,
      };
    });
  }

  async #find({ appId, channel, messageSerial }: MessagePlace): Promise<{
    readonly stream: Stream;
    readonly message: StoredMessage;
  } | null> {
    const { store, now } = this.parts;
    const [stream] = (await store.heads([{ appId, channel, kind: 'messages' }])).values();
    if (stream === undefined) return null;
    const { streamKey, generation, floorMessageSerial } = stream;
    const query = {
      streamKey,
      generation,
      floorMessageSerial,
      nowMs: now(),
      messageSerials: [messageSerial],
    };
    const [message] = await store.messages(query);
    return message === undefined ? null : { stream, message };
  }

  #sinceMs(): number | null {
    const { windowMs } = this.options;
    return windowMs === null ? null : this.parts.now() - windowMs;
  }

  #read<Body>(appId: string, work: () => Promise<Body>): Promise<Body> {
    const { turns } = this.parts;
    const { timeoutMs } = this.options;
    return turns === undefined ? inTime(timeoutMs, work) : turns.read(appId, timeoutMs, work);
  }
}

/** One that is no annotation's lies behind all that there are. */
function numberOf(annotationSerial: string): number {
  const number = Number(annotationSerial.slice(-NUMBER_DIGITS));
  return Number.isSafeInteger(number) && number >= 0 ? number : Number.MAX_SAFE_INTEGER;
}
