import type { AnnotationEvent, AnnotationSummary } from '../model/annotation.js';
import {
  type AnnotationsQuery,
  isReadableMessage,
  type MessagesQuery,
  type SummariesQuery,
  type VersionsQuery,
} from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { StoredRecord } from '../model/record.js';
import type { StoredRow } from './draft.js';
import { KIND, lastNumber, lastPart, rangeOf, serialRange, sortOf } from './keys.js';
import type { StreamReader } from './reader.js';
import { decodeAnnotation, decodeMessage, type MessageRow } from './message-rows.js';
import { asRecord, decodeRecord, type RowOwner } from './rows.js';
import { readData, readSettled, readSummary, type SummaryName } from './texts.js';

/** Rows looked at together. */
const AT_ONCE = 100;

/** Reads versioned messages and annotations of streams. */
export class MessageRows {
  constructor(private readonly reader: StreamReader) {}

  async messages({ messageSerials, nowMs, ...stream }: MessagesQuery): Promise<StoredMessage[]> {
    const readable = (row: MessageRow | null): MessageRow | null =>
      row !== null && isReadableMessage(row.state, stream, nowMs) ? row : null;
    const rows = await this.#rows(stream, messageSerials);
    const read = messageSerials.map((messageSerial) => {
      let first = true;
      return readSettled<MessageRow, StoredMessage>(
        async () => {
          const known = first
            ? rows.get(messageSerial)
            : (await this.#rows(stream, [messageSerial])).get(messageSerial);
          first = false;
          return readable(known ?? null);
        },
        async (row) => {
          const data = await readData(this.reader, stream, row);
          return data === null ? null : { ...row.state, data };
        },
      );
    });
    return (await Promise.all(read)).filter((message) => message !== null);
  }

  async versions(query: VersionsQuery): Promise<StoredRecord[]> {
    const { streamKey, generation, messageSerial, sinceMs, newestFirst, after, limit } = query;
    const range = rangeOf(generation, KIND.version, messageSerial);
    const end = after === null ? null : sortOf(generation, KIND.version, messageSerial, after);
    const bounds =
      end === null ? range : newestFirst ? { from: range.from, to: end } : { from: end, to: range.to };
    const how = { reverse: newestFirst, limit: Infinity, atOnce: Math.max(2, Math.min(limit + 1, AT_ONCE)) };
    const found: StoredRecord[] = [];
    for await (const batch of batchesOf(this.reader.each(streamKey, bounds, how), how.atOnce)) {
      const serials = batch.filter(({ sort }) => sort !== end).map(({ value }) => Number(value));
      for (const record of await this.#records(query, serials))
        if (sinceMs === null || record.publishedAtMs > sinceMs) found.push(record);
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async annotations(query: AnnotationsQuery): Promise<AnnotationEvent[]> {
    const { streamKey, messageSerial, type, sinceMs, afterNo, limit } = query;
    const { head } = await this.reader.streamRows(streamKey);
    if (head === null) return [];
    const owner = { streamKey, generation: head.stream.generation };
    const found: AnnotationEvent[] = [];
    for await (const event of this.#events(owner, messageSerial, afterNo, limit)) {
      if ((type !== null && event.type !== type) || (sinceMs !== null && event.atMs <= sinceMs)) continue;
      found.push(event);
      if (found.length === limit) break;
    }
    return found;
  }

  async summaries(query: SummariesQuery): Promise<AnnotationSummary[]> {
    const { belowNo, limit, messageSerials } = query;
    const owner = { streamKey: query.streamKey, generation: query.generation };
    const found: AnnotationSummary[] = [];
    const names =
      messageSerials === undefined ? this.#latestNames(query) : this.#namesOf(query, messageSerials);
    for await (const batch of batchesOf(names, AT_ONCE)) {
      const messages = await this.#rows(owner, [...new Set(batch.map(({ messageSerial }) => messageSerial))]);
      const readable = batch.filter(({ messageSerial }) => {
        const row = messages.get(messageSerial);
        return row !== undefined && isReadableMessage(row.state, query, query.nowMs);
      });
      const summaries = await Promise.all(readable.map((name) => readSummary(this.reader, owner, name)));
      for (const summary of summaries)
        if (summary !== null && (belowNo === null || summary.lastNo < belowNo)) found.push(summary);
      if (messageSerials === undefined && found.length >= limit) break;
    }
    return found.sort((one, other) => other.lastNo - one.lastNo).slice(0, limit);
  }

  /** The names of summaries, that which changed last first. */
  async *#latestNames({
    streamKey,
    generation,
    belowNo,
    limit,
  }: SummariesQuery): AsyncGenerator<SummaryName> {
    const range = serialRange(generation, KIND.summaryByNo, 0, (belowNo ?? Number.MAX_SAFE_INTEGER) - 1);
    const how = { reverse: true, limit: Infinity, atOnce: Math.min(limit, AT_ONCE) };
    for await (const { value } of this.reader.each(streamKey, range, how)) {
      const [messageSerial, type] = JSON.parse(value) as [string, string];
      yield { messageSerial, type };
    }
  }

  async *#namesOf(
    { streamKey, generation }: SummariesQuery,
    messageSerials: readonly string[],
  ): AsyncGenerator<SummaryName> {
    for (const messageSerial of messageSerials) {
      const range = rangeOf(generation, KIND.summary, messageSerial);
      for await (const { sort } of this.reader.each(streamKey, range, { limit: Infinity }))
        yield { messageSerial, type: lastPart(sort) };
    }
  }

  async *#events(
    { streamKey, generation }: RowOwner,
    messageSerial: string | null,
    afterNo: number,
    limit: number,
  ): AsyncGenerator<AnnotationEvent> {
    const how = { limit: Infinity, atOnce: Math.min(limit, AT_ONCE) };
    const most = Number.MAX_SAFE_INTEGER - 1;
    if (messageSerial !== null) {
      const range = serialRange(generation, KIND.annotationEvent, afterNo + 1, most, messageSerial);
      for await (const { value } of this.reader.each(streamKey, range, how))
        yield decodeAnnotation(streamKey, messageSerial, value);
      return;
    }
    const range = serialRange(generation, KIND.annotation, afterNo + 1, most);
    for await (const batch of batchesOf(this.reader.each(streamKey, range, how), AT_ONCE)) {
      const sortOfEvent = ({ sort, value }: StoredRow): string =>
        sortOf(generation, KIND.annotationEvent, value, lastNumber(sort));
      const rows = await this.reader.get(streamKey, batch.map(sortOfEvent));
      for (const pointer of batch) {
        const row = rows.get(sortOfEvent(pointer));
        if (row !== undefined) yield decodeAnnotation(streamKey, pointer.value, row.value);
      }
    }
  }

  async #rows(owner: RowOwner, messageSerials: readonly string[]): Promise<ReadonlyMap<string, MessageRow>> {
    const sorts = new Map(
      messageSerials.map((serial) => [sortOf(owner.generation, KIND.message, serial), serial] as const),
    );
    const rows = await this.reader.get(owner.streamKey, [...sorts.keys()]);
    return new Map(
      [...rows].map(([sort, row]) => {
        const serial = sorts.get(sort) ?? '';
        return [serial, decodeMessage(owner, serial, row)];
      }),
    );
  }

  async #records({ streamKey, generation }: RowOwner, serials: readonly number[]): Promise<StoredRecord[]> {
    const rows = await this.reader.get(
      streamKey,
      serials.map((serial) => sortOf(generation, KIND.record, serial)),
    );
    return serials.flatMap((serial) => {
      const row = rows.get(sortOf(generation, KIND.record, serial));
      return row === undefined ? [] : [asRecord(decodeRecord({ streamKey, generation }, serial, row.value))];
    });
  }
}

/** Groups items of an asynchronous sequence. */
async function* batchesOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
