import type { AnnotationSummary } from '../model/annotation.js';
import { fragmentOf, type MessageData, type StoredMessage, withFragments } from '../model/message.js';
import { KIND, lastNumber, lastPart, rangeOf, sortOf } from './keys.js';
import type { StreamReader } from './reader.js';
import { decodeSummary, type MessageRow, type SummaryRow } from './message-rows.js';
import { decodeRecord, type RowOwner } from './rows.js';

/** Reads the chunks of a text; null: a commit has replaced it since. */
async function readChunks(
  reader: StreamReader,
  streamKey: string,
  sorts: readonly string[],
): Promise<string | null> {
  if (sorts.length === 0) return '';
  const rows = await reader.get(streamKey, sorts);
  return rows.size < sorts.length ? null : sorts.map((sort) => rows.get(sort)?.value ?? '').join('');
}

const numbered = (count: number, sortOfChunk: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => sortOfChunk(index));

export const dataSort = (owner: RowOwner, serial: string, base: number, index: number): string =>
  sortOf(owner.generation, KIND.data, serial, base, index);

export const summaryTextSort = (owner: RowOwner, of: SummaryName, textNo: number, index: number): string =>
  sortOf(owner.generation, KIND.summaryText, of.messageSerial, of.type, textNo, index);

export type SummaryName = Pick<AnnotationSummary, 'messageSerial' | 'type'>;

/** The data of a message with the fragments behind it; null: a commit has replaced it since the row was read. */
export async function readData(
  reader: StreamReader,
  owner: RowOwner,
  { state, dataBase, dataChunks }: MessageRow,
): Promise<MessageData | null> {
  const { messageSerial, baseSerial, deliverySerial } = state;
  const sorts = numbered(dataChunks, (index) => dataSort(owner, messageSerial, dataBase, index));
  const [base, fragments] = await Promise.all([
    readChunks(reader, owner.streamKey, sorts),
    deliverySerial > baseSerial ? readFragments(reader, owner, state) : [],
  ]);
  if (base === null || fragments === null) return null;
  return withFragments(dataChunks === 0 ? null : base, fragments);
}

/** Fragments of the versions behind the stored data; null: the version that the row is of is not visible yet. */
async function readFragments(
  reader: StreamReader,
  owner: RowOwner,
  { messageSerial, baseVersionSerial, versionSerial }: StoredMessage,
): Promise<string[] | null> {
  const { to } = rangeOf(owner.generation, KIND.version, messageSerial);
  const from = sortOf(owner.generation, KIND.version, messageSerial, baseVersionSerial);
  const versions = await reader.range(owner.streamKey, { from, to }, { limit: Infinity });
  const behind = versions.filter(({ sort }) => {
    const serial = lastPart(sort);
    return serial > baseVersionSerial && serial <= versionSerial;
  });
  const newest = behind.at(-1);
  if (newest === undefined || lastPart(newest.sort) !== versionSerial) return null;
  const sorts = behind.map(({ value }) => sortOf(owner.generation, KIND.record, Number(value)));
  const records = await reader.get(owner.streamKey, sorts);
  return sorts.flatMap((sort) => {
    const row = records.get(sort);
    return row === undefined
      ? []
      : [fragmentOf(decodeRecord(owner, lastNumber(sort), row.value).payload ?? '{}')];
  });
}

/** The text of a summary; null: a commit has replaced it since the row was read. */
export const readSummaryText = (
  reader: StreamReader,
  owner: RowOwner,
  of: SummaryName,
  { textNo, textChunks }: SummaryRow,
): Promise<string | null> =>
  readChunks(
    reader,
    owner.streamKey,
    numbered(textChunks, (index) => summaryTextSort(owner, of, textNo, index)),
  );

export const summaryOf = (
  owner: RowOwner,
  { messageSerial, type }: SummaryName,
  { since, lastNo, changedAtMs }: SummaryRow,
  summary: string,
): AnnotationSummary => ({
  streamKey: owner.streamKey,
  messageSerial,
  type,
  summary,
  since,
  lastNo,
  changedAtMs,
});

/** A read that commits overtook so often is given up. */
const MAX_ROUNDS = 20;

/** Repeats a read if a commit replaced the row before its text was read. Null: the row does not exist. */
export async function readSettled<Row, Result>(
  readRow: () => Promise<Row | null>,
  readText: (row: Row) => Promise<Result | null>,
): Promise<Result | null> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const row = await readRow();
    if (row === null) return null;
    const result = await readText(row);
    if (result !== null) return result;
  }
  throw new Error('a row was replaced every time that its text was read');
}

/** A summary with its text. */
export function readSummary(
  reader: StreamReader,
  owner: RowOwner,
  of: SummaryName,
): Promise<AnnotationSummary | null> {
  const sort = sortOf(owner.generation, KIND.summary, of.messageSerial, of.type);
  return readSettled(
    async () => {
      const row = (await reader.get(owner.streamKey, [sort])).get(sort);
      return row === undefined ? null : decodeSummary(row.value);
    },
    async (row) => {
      const text = await readSummaryText(reader, owner, of, row);
      return text === null ? null : summaryOf(owner, of, row, text);
    },
  );
}
