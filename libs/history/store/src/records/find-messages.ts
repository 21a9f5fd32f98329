import type { FoundAnnotation, FoundSummary } from '../model/annotation.js';
import {
  type AnnotationTypes,
  type FoundMessages,
  type FoundOperation,
  isReadableMessage,
  needsData,
  type WantedMessages,
} from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { Stream } from '../model/stream.js';
import { type FoundRows, messageRow, summaryRow } from './found-rows.js';
import { KIND, rangeOf, sortOf } from './keys.js';
import type { StreamReader } from './reader.js';
import { decodeAnnotation, decodeOperation, decodeSummary } from './message-rows.js';
import { readData, readSummaryText, type SummaryName, summaryOf } from './texts.js';

export interface FindMessagesOf {
  readonly found: FoundRows;
  readonly wanted: WantedMessages;
  readonly stream: Stream;
  readonly nowMs: number;
}

/** The head of the stream changed while the batch read: the commit would fail, so the batch reads again. */
export class OvertakenRead extends Error {
  override readonly name = 'OvertakenRead';
}

/** Reads the versioned messages and annotations that a batch needs. */
export async function findMessages(reader: StreamReader, of: FindMessagesOf): Promise<FoundMessages> {
  const { wanted } = of;
  const annotations = await findAnnotations(reader, of);
  const names = new Map<string, SummaryName>();
  for (const { messageSerial, type } of [...wanted.summaries, ...annotations.map(({ created }) => created)])
    names.set(`${messageSerial}\0${type}`, { messageSerial, type });
  const summaries = (
    await Promise.all([...names.values()].map((name) => findSummary(reader, of, name)))
  ).filter((summary) => summary !== null);
  for (const { messageSerial, type } of summaries) names.delete(`${messageSerial}\0${type}`);
  return {
    states: await findStates(reader, of),
    operations: findOperations(of),
    annotations,
    summaries,
    types: await countTypes(reader, of, [...names.values()]),
  };
}

async function findStates(
  reader: StreamReader,
  { found, wanted, stream, nowMs }: FindMessagesOf,
): Promise<StoredMessage[]> {
  const states = wanted.states.map(async (one): Promise<StoredMessage[]> => {
    const row = messageRow(found, one.messageSerial);
    if (row === null) return [];
    // An unreadable message cannot be changed, and a purge may be removing its fragments.
    const isReadable = isReadableMessage(row.state, stream, nowMs);
    if (!isReadable || !needsData(row.state, one, { stream, nowMs })) return [row.state];
    const data = await readData(reader, found.owner, row);
    if (data === null) throw new OvertakenRead();
    return [{ ...row.state, data }];
  });
  return (await Promise.all(states)).flat();
}

function findOperations({ found: { owner, rows }, wanted }: FindMessagesOf): FoundOperation[] {
  return wanted.operations.flatMap(({ hash }) => {
    const row = rows.get(sortOf(owner.generation, KIND.operation, hash));
    return row === undefined ? [] : [decodeOperation(owner.streamKey, hash, row.value)];
  });
}

/** The last digits of a serial are the number of the annotation. */
const NUMBER_DIGITS = 20;

async function findAnnotations(
  reader: StreamReader,
  { found: { owner }, wanted }: FindMessagesOf,
): Promise<FoundAnnotation[]> {
  const numbers = wanted.annotations.flatMap(({ annotationSerial }) => {
    const number = Number(annotationSerial.slice(-NUMBER_DIGITS));
    return Number.isSafeInteger(number) && number > 0 ? [number] : [];
  });
  if (numbers.length === 0) return [];
  const { streamKey, generation } = owner;
  const found = await reader.get(
    streamKey,
    numbers.flatMap((number) => [
      sortOf(generation, KIND.annotation, number),
      sortOf(generation, KIND.deletedBy, number),
    ]),
  );
  const eventSort = (number: number): string | null => {
    const row = found.get(sortOf(generation, KIND.annotation, number));
    return row === undefined ? null : sortOf(generation, KIND.annotationEvent, row.value, number);
  };
  const deleteSort = (number: number): string | null => {
    const [made, row] = [KIND.annotation, KIND.deletedBy].map((kind) =>
      found.get(sortOf(generation, kind, number)),
    );
    if (made === undefined || row === undefined) return null;
    return sortOf(generation, KIND.annotationEvent, made.value, Number(row.value));
  };
  const sorts = numbers
    .flatMap((number) => [eventSort(number), deleteSort(number)])
    .filter((sort) => sort !== null);
  const events = await reader.get(streamKey, sorts);
  const eventAt = (number: number, sort: string | null) => {
    const row = sort === null ? undefined : events.get(sort);
    const message = found.get(sortOf(generation, KIND.annotation, number));
    return row === undefined || message === undefined
      ? null
      : decodeAnnotation(streamKey, message.value, row.value);
  };
  return numbers.flatMap((number) => {
    const created = eventAt(number, eventSort(number));
    return created === null ? [] : [{ created, deleted: eventAt(number, deleteSort(number)) }];
  });
}

async function findSummary(
  reader: StreamReader,
  { found, wanted }: FindMessagesOf,
  name: SummaryName,
): Promise<FoundSummary | null> {
  const { owner } = found;
  const row = summaryRow(found, name.messageSerial, name.type) ?? (await readRow(reader, found, name));
  if (row === null) return null;
  const isKnown = wanted.known.some(
    ({ messageSerial, type, lastNo }) =>
      messageSerial === name.messageSerial && type === name.type && lastNo === row.lastNo,
  );
  if (isKnown) return { ...summaryOf(owner, name, row, ''), summary: null, since: [] };
  const text = await readSummaryText(reader, owner, name, row);
  if (text === null) throw new OvertakenRead();
  return summaryOf(owner, name, row, text);
}

/** Reads the row of a summary by its stream, message and type. */
async function readRow(reader: StreamReader, { owner }: FoundRows, { messageSerial, type }: SummaryName) {
  const sort = sortOf(owner.generation, KIND.summary, messageSerial, type);
  const row = (await reader.get(owner.streamKey, [sort])).get(sort);
  return row === undefined ? null : decodeSummary(row.value);
}

/** The number of types of each message that has no summary of a type yet. */
async function countTypes(
  reader: StreamReader,
  { found: { owner } }: FindMessagesOf,
  missing: readonly SummaryName[],
): Promise<AnnotationTypes[]> {
  const { streamKey, generation } = owner;
  const serials = [...new Set(missing.map(({ messageSerial }) => messageSerial))];
  return Promise.all(
    serials.map(async (messageSerial) => {
      const rows = await reader.range(streamKey, rangeOf(generation, KIND.summary, messageSerial), {
        limit: Infinity,
      });
      return { streamKey, messageSerial, count: rows.length };
    }),
  );
}
