import { createHash } from 'node:crypto';
import { type StreamAddress, streamName } from '../model/stream.js';

/** Kinds of rows that belong to one generation of a stream. */
export const KIND = {
  /** A delivery record, by its delivery serial. */
  record: 'r',
  /** The delivery serial of a row of the history, by its history serial; absent while both are equal. */
  history: 'h',
  /** The latest state of a versioned message, by its message serial. */
  message: 'm',
  /** Chunks of the data of a message, by message serial, base serial and number. */
  data: 'd',
  /** The delivery serial of a version, by message serial and version serial. */
  version: 'v',
  /** A repeatable operation, by its hash. */
  operation: 'o',
  /** An open message, by its message serial. */
  open: 'q',
  /** The message of an annotation event, by its number. */
  annotation: 'a',
  /** An annotation event, by message serial and number. */
  annotationEvent: 'b',
  /** The number of the delete event, by the number of the deleted annotation. */
  deletedBy: 't',
  /** A summary without its text, by message serial and type. */
  summary: 's',
  /** Chunks of the text of a summary, by message serial, type, annotation number and number. */
  summaryText: 'y',
  /** The message and type of a summary, by the number of its last annotation. */
  summaryByNo: 'l',
  /** A presence event, by its serial. */
  event: 'p',
  /** The fold of the events of a member, by user id. */
  member: 'u',
  /** A presence checkpoint, by its serial. */
  checkpoint: 'k',
  /** Parts of a value that exceeds the value limit, by the sort of its row and number. */
  part: 'x',
} as const;

export type RowKind = (typeof KIND)[keyof typeof KIND];

/** Rows outside the generations: the head, the side row, receipts and entries of the operator log. */
export const HEAD = 'h';
export const SIDE = 'w';
/** A row that never exists: a commit that needs no other condition requires its absence. */
export const NEVER = 'n';

const SERIAL_DIGITS = 16;
const KEY_DIGITS = 19;
const GENERATION_DIGITS = 10;

/** A non-negative number whose byte order is its numeric order. */
export const serialText = (serial: number): string => String(serial).padStart(SERIAL_DIGITS, '0');

/** A stream key whose byte order is its numeric order. */
export const keyText = (streamKey: string): string => streamKey.padStart(KEY_DIGITS, '0');

/** The stream key of a `keyText`. */
export const keyOfText = (text: string): string => text.replace(/^0+(?=\d)/, '');

export const partitionOf = (streamKey: string): string => `s/${streamKey}`;

export const receiptSort = (scope: string): string => `c/${scope}`;
export const logSort = (atMs: number, nonce: string): string => `j/${serialText(atMs)}/${nonce}`;

const escaped = (text: string): string => text.replace(/[%/]/g, (found) => (found === '%' ? '%25' : '%2F'));

const nameOf = (part: string | number): string =>
  typeof part === 'number' ? serialText(part) : escaped(part);

const generationOf = (generation: number): string =>
  `g${String(generation).padStart(GENERATION_DIGITS, '0')}`;

export const sortOf = (generation: number, kind: RowKind, ...parts: readonly (string | number)[]): string =>
  [generationOf(generation), kind, ...parts.map(nameOf)].join('/');

/** The last part of a sort, as text. */
export const lastPart = (sort: string): string =>
  sort
    .slice(sort.lastIndexOf('/') + 1)
    .replace(/%2F/g, '/')
    .replace(/%25/g, '%');

/** The last part of a sort, as a number. */
export const lastNumber = (sort: string): number => Number(sort.slice(sort.lastIndexOf('/') + 1));

/** Bounds of a range of sorts: `from` inclusive, `to` exclusive. */
export interface SortRange {
  readonly from: string;
  readonly to: string;
}

const below = (prefix: string): SortRange => ({ from: `${prefix}/`, to: `${prefix}0` });

/** All rows of a kind below the given parts. */
export const rangeOf = (
  generation: number,
  kind: RowKind,
  ...parts: readonly (string | number)[]
): SortRange => below(sortOf(generation, kind, ...parts));

/** Rows of a kind by number, both bounds inclusive. */
export const serialRange = (
  generation: number,
  kind: RowKind,
  from: number,
  to: number,
  ...parts: readonly (string | number)[]
): SortRange => ({
  from: sortOf(generation, kind, ...parts, Math.max(0, from)),
  to: sortOf(generation, kind, ...parts, Math.max(0, to + 1)),
});

/** All rows of earlier generations. */
export const earlierGenerations = (generation: number): SortRange => ({
  from: generationOf(0),
  to: generationOf(generation),
});

/** Chooses the stream key of an address; attempts after the first are for keys that another address has. */
export type KeyChoice = (address: StreamAddress, attempt: number) => string;

/** 63 bits of a hash of the address: streams are found by their address without a directory. */
export const hashedKey: KeyChoice = (address, attempt) => {
  const suffix = attempt === 0 ? '' : `\0${attempt}`;
  const hash = createHash('sha256')
    .update(`${streamName(address)}${suffix}`)
    .digest();
  return String(hash.readBigUInt64BE(0) >> 1n);
};
