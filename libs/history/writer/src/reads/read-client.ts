import { RecentlyUsed } from '@carillon/collections';
import { MAX_READ_HEADS, MAX_READ_RECORDS, type ReadAnswerBody } from '@carillon/contracts';
import type { LaneBroker } from '@carillon/broker';
import {
  type AnnotationEvent,
  type AnnotationsQuery,
  type AnnotationSummary,
  type CheckpointQuery,
  laneOf,
  type MessagesQuery,
  type PageQuery,
  type PresenceCheckpoint,
  type PresenceEvent,
  type PresenceStanding,
  type RangeQuery,
  type Retained,
  type StoredMessage,
  type StoredRecord,
  type Stream,
  type StreamAddress,
  type SummariesQuery,
  type VersionsQuery,
  streamName,
} from '@carillon/history-store';
import type { Clock } from '../clock.js';
import {
  annotationIn,
  annotationsOut,
  messageIn,
  messagesOut,
  summariesOut,
  summaryIn,
  versionsOut,
} from './message-wire.js';
import type { ChannelReads } from './port.js';
import { type Question, Questions, unavailable } from './questions.js';
import { eventIn, pageOut, recordIn, retainedIn, standingIn, streamIn, streamOut } from './wire.js';

/** Stream keys whose app is remembered; reads of others take the share of this process. */
const MAX_KNOWN_STREAMS = 50_000;

export interface ReadClientOptions {
  readonly lanes: number;
  readonly nodeId: string;
  /** Time budget of one read with all its parts. */
  readonly timeoutMs: number;
}

/** Rows that may come in several parts. */
interface Reading<Row> {
  readonly lane: number;
  /** Undefined: not known. */
  readonly appId: string | undefined;
  readonly limit: number;
  /** Returns the request for the rows after a row; null: from the beginning. */
  readonly after: (last: Row | null, limit: number) => Question;
  /** Returns the rows of an answer; undefined: the answer is about something else. */
  readonly rows: (answer: ReadAnswerBody) => readonly Row[] | undefined;
}

/** Reads through the writers, for a process without a store. Rejects with `service_unavailable`. */
export class ReadClient implements ChannelReads {
  readonly #questions: Questions;
  /** Apps by stream key: most queries name a stream by its key, and its head was read before. */
  readonly #apps = new RecentlyUsed<string>(MAX_KNOWN_STREAMS, Infinity);

  constructor(
    broker: LaneBroker,
    private readonly clock: Clock,
    private readonly options: ReadClientOptions,
  ) {
    this.#questions = new Questions(broker, clock, options);
  }

  async heads(addresses: readonly StreamAddress[], create = false): Promise<ReadonlyMap<string, Stream>> {
    const deadlineMs = this.#deadline();
    const parts = [...byLane(addresses, this.options.lanes)].flatMap(([lane, all]) =>
      chunks(all, MAX_READ_HEADS).map(async (some) => {
        const channels = some.map(({ appId, channel, kind }) => ({ app_id: appId, channel, kind }));
        return this.#questions.ask(lane, { heads: { channels, create } }, deadlineMs);
      }),
    );
    const answers = await Promise.all(parts);
    const streams = answers.flatMap(({ streams: some }) => (some ?? []).map(streamIn));
    for (const { streamKey, address } of streams) {
      if (this.#apps.get(streamKey) === undefined) this.#apps.put(streamKey, address.appId);
    }
    return new Map(streams.map((stream) => [streamName(stream.address), stream]));
  }

  range(query: RangeQuery): Promise<readonly StoredRecord[]> {
    const { streamKey, generation, toSerial } = query;
    return this.#rows({
      ...this.#about(query),
      limit: query.limit,
      after: (last: StoredRecord | null, limit) => ({
        range: {
          stream_key: streamKey,
          generation,
          from_serial: last === null ? query.fromSerial : last.deliverySerial + 1,
          to_serial: toSerial,
          limit,
        },
      }),
      rows: ({ records }) => records?.map(recordIn),
    });
  }

  page(query: PageQuery): Promise<readonly StoredRecord[]> {
    return this.#rows({
      lane: this.#laneOf(query.stream),
      appId: query.stream.address.appId,
      limit: query.limit,
      after: (last: StoredRecord | null, limit) => ({
        page: pageOut(query, last?.historySerial ?? null, limit),
      }),
      rows: ({ records }) => records?.map(recordIn),
    });
  }

  presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]> {
    return this.#rows({
      lane: this.#laneOf(query.stream),
      appId: query.stream.address.appId,
      limit: query.limit,
      after: (last: PresenceEvent | null, limit) => ({ events: pageOut(query, last?.serial ?? null, limit) }),
      rows: ({ events }) => events?.map(eventIn),
    });
  }

  /** Part after part. A writer of a version without checkpoints has none. */
  async presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null> {
    const deadlineMs = this.#deadline();
    const { lane, appId } = this.#about(query);
    const members: PresenceStanding[] = [];
    let { fromSerial, toSerial } = query;
    for (;;) {
      const question: Question = {
        ...ofApp(appId),
        checkpoint: {
          stream_key: query.streamKey,
          generation: query.generation,
          from_serial: fromSerial,
          to_serial: toSerial,
          skip: members.length,
        },
      };
      const { checkpoint, more } = await this.#questions.ask(lane, question, deadlineMs);
      // Also when it was removed between two parts.
      if (checkpoint === null || checkpoint === undefined) return null;
      fromSerial = toSerial = checkpoint.serial;
      for (const standing of checkpoint.members) members.push(standingIn(standing));
      if (more !== true || checkpoint.members.length === 0) return { serial: fromSerial, members };
    }
  }

  /** Reads part after part, each with what did not fit into the one before. */
  async messages(query: MessagesQuery): Promise<readonly StoredMessage[]> {
    const deadlineMs = this.#deadline();
    const { lane, appId } = this.#about(query);
    const all: StoredMessage[] = [];
    let left = query.messageSerials;
    while (left.length > 0) {
      const asked = { ...ofApp(appId), messages: messagesOut({ ...query, messageSerials: left }) };
      const { messages, more } = await this.#questions.ask(lane, asked, deadlineMs);
      if (messages === undefined) throw unavailable('the answer is about something else');
      all.push(...messages.map(messageIn));
      const got = new Set(messages.map(({ message_serial: serial }) => serial));
      if (more !== true || got.size === 0) break;
      left = left.filter((serial) => !got.has(serial));
    }
    return all;
  }

  versions(query: VersionsQuery): Promise<readonly StoredRecord[]> {
    return this.#rows({
      ...this.#about(query),
      limit: query.limit,
      after: (last: StoredRecord | null, limit) => ({
        versions: versionsOut({ ...query, after: last?.versionSerial ?? query.after, limit }),
      }),
      rows: ({ records }) => records?.map(recordIn),
    });
  }

  annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]> {
    return this.#rows({
      ...this.#about(query),
      limit: query.limit,
      after: (last: AnnotationEvent | null, limit) => ({
        annotations: annotationsOut({ ...query, afterNo: last?.annotationNo ?? query.afterNo, limit }),
      }),
      rows: ({ annotations }) => annotations?.map(annotationIn),
    });
  }

  summaries(query: SummariesQuery): Promise<readonly AnnotationSummary[]> {
    return this.#rows({
      ...this.#about(query),
      limit: query.limit,
      after: (last: AnnotationSummary | null, limit) => ({
        summaries: summariesOut({ ...query, belowNo: last?.lastNo ?? query.belowNo, limit }),
      }),
      rows: ({ summaries }) => summaries?.map(summaryIn),
    });
  }

  async retained(stream: Stream, nowMs: number): Promise<Retained> {
    const question = {
      ...ofApp(stream.address.appId),
      retained: { stream: streamOut(stream), now_ms: nowMs },
    };
    const { retained } = await this.#questions.ask(this.#laneOf(stream), question, this.#deadline());
    if (retained === undefined) throw unavailable('the answer is about something else');
    return retainedIn(retained);
  }

  /** Part after part, each beginning behind the last row of the one before. */
  async #rows<Row>({ lane, appId, limit, after, rows }: Reading<Row>): Promise<readonly Row[]> {
    const deadlineMs = this.#deadline();
    const all: Row[] = [];
    while (all.length < limit) {
      const left = Math.min(limit - all.length, MAX_READ_RECORDS);
      const question = { ...ofApp(appId), ...after(all.at(-1) ?? null, left) };
      const answer = await this.#questions.ask(lane, question, deadlineMs);
      const part = rows(answer);
      if (part === undefined) throw unavailable('the answer is about something else');
      all.push(...part);
      if (part.length === 0 || (answer.more !== true && part.length < MAX_READ_RECORDS)) break;
    }
    return all;
  }

  #about({ streamKey }: { readonly streamKey: string }) {
    return { lane: laneOfKey(streamKey, this.options.lanes), appId: this.#apps.get(streamKey) };
  }

  #laneOf({ address: { appId, channel } }: Stream): number {
    return laneOf(appId, channel, this.options.lanes);
  }

  #deadline(): number {
    return this.clock.elapsed() + this.options.timeoutMs;
  }
}

/** Every writer reads the same store, so any lane will do if the channel is unknown. */
const laneOfKey = (streamKey: string, lanes: number): number => Number(BigInt(streamKey) % BigInt(lanes));

const ofApp = (appId: string | undefined): Pick<Question, 'app_id'> =>
  appId === undefined ? {} : { app_id: appId };

function byLane(addresses: readonly StreamAddress[], lanes: number): Map<number, StreamAddress[]> {
  const all = new Map<number, StreamAddress[]>();
  for (const address of addresses) {
    const lane = laneOf(address.appId, address.channel, lanes);
    const ofLane = all.get(lane);
    if (ofLane === undefined) all.set(lane, [address]);
    else ofLane.push(address);
  }
  return all;
}

const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
