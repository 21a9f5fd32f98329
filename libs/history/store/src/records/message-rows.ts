import type { AnnotationEvent, Contribution } from '../model/annotation.js';
import type { FoundOperation } from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { RowOwner } from './rows.js';

/** A message without its data, and where the chunks of that are. */
export interface MessageRow {
  readonly version: number;
  readonly state: StoredMessage;
  readonly dataBase: number;
  readonly dataChunks: number;
}

export const encodeMessage = ({ state, dataBase, dataChunks }: Omit<MessageRow, 'version'>): string => {
  const { streamKey: _key, generation: _generation, messageSerial: _serial, data: _data, ...fields } = state;
  return JSON.stringify({ ...fields, dataBase, dataChunks });
};

export function decodeMessage(
  owner: RowOwner,
  messageSerial: string,
  { value, version }: { readonly value: string; readonly version: number },
): MessageRow {
  const { dataBase, dataChunks, ...fields } = JSON.parse(value) as Omit<
    StoredMessage,
    'data' | 'generation' | 'messageSerial' | 'streamKey'
  > & { readonly dataBase: number; readonly dataChunks: number };
  const { streamKey, generation } = owner;
  return {
    version,
    dataBase,
    dataChunks,
    state: { streamKey, generation, messageSerial, ...fields, data: null },
  };
}

export const encodeOperation = ({
  fingerprint,
  deliverySerial,
  versionSerial,
  atMs,
}: FoundOperation): string => JSON.stringify([fingerprint, deliverySerial, versionSerial, atMs]);

export function decodeOperation(streamKey: string, hash: string, value: string): FoundOperation {
  const fields = JSON.parse(value) as [string, number, string, number];
  return {
    streamKey,
    hash,
    fingerprint: fields[0],
    deliverySerial: fields[1],
    versionSerial: fields[2],
    atMs: fields[3],
  };
}

export const encodeAnnotation = ({
  streamKey: _key,
  messageSerial: _serial,
  ...event
}: AnnotationEvent): string => JSON.stringify(event);

export const decodeAnnotation = (
  streamKey: string,
  messageSerial: string,
  value: string,
): AnnotationEvent => ({
  streamKey,
  messageSerial,
  ...(JSON.parse(value) as Omit<AnnotationEvent, 'messageSerial' | 'streamKey'>),
});

/** A summary without its text, and where the chunks of that are. */
export interface SummaryRow {
  readonly since: readonly Contribution[];
  readonly lastNo: number;
  readonly changedAtMs: number;
  readonly textNo: number;
  readonly textChunks: number;
}

export const encodeSummary = (row: SummaryRow): string =>
  JSON.stringify([
    row.lastNo,
    row.changedAtMs,
    row.textNo,
    row.textChunks,
    row.since.map(({ action, name, clientId, count }) => [action, name, clientId, count]),
  ]);

export function decodeSummary(value: string): SummaryRow {
  const [lastNo, changedAtMs, textNo, textChunks, since] = JSON.parse(value) as [
    number,
    number,
    number,
    number,
    [Contribution['action'], string | null, string | null, number | null][],
  ];
  return {
    lastNo,
    changedAtMs,
    textNo,
    textChunks,
    since: since.map(([action, name, clientId, count]) => ({ action, name, clientId, count })),
  };
}
