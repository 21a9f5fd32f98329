import type { Owed } from '../port.js';
import { list, oneOf, pairs, text, whole } from './replies.js';

/** Sets how much this node holds of a subject. */
export interface Operation {
  readonly subject: string;
  /** 0: nothing. `END_OF_LEASE`: ends the lease begun by this node, if it still keeps the subject. */
  readonly count: number;
  /** Kept with the subject. */
  readonly payload: string;
  /** Whether the payload replaces that of a subject already held; when releasing, only with the last holding. */
  readonly replaces: boolean;
  /** Time to keep the subject after the last release; 0: remove it. */
  readonly leaseMs: number;
  /** The same for a released subject that the store does not know and must have lost. */
  readonly lostMs: number;
  /** Cause of the release, in case another node ends the lease. */
  readonly cause: string;
  /** More subjects than these are not let in; Infinity: no limit. */
  readonly mostSubjects: number;
  /** All nodes together hold no more of the subject; Infinity: no limit. */
  readonly mostOfIt: number;
  /** Origin of a new subject: digits and dots. Empty: none. */
  readonly cameBy: string;
  /** Whether the payload is reported to others and thereby becomes the version of the subject. */
  readonly tells: boolean;
}

export const END_OF_LEASE = -1;

/**
 * Cause of removing holdings without an owner: those of a dead node, or ones that a restored store has and their node
 * does not. The removal may have been reported already, so a join during a lease is reported again.
 */
export const LEFTOVER = 'orphan_cleanup';

/** An operation that only holds or releases. */
export const holding = (subject: string, count: number, rest: Partial<Operation> = {}): Operation => ({
  subject,
  count,
  payload: '',
  replaces: false,
  leaseMs: 0,
  lostMs: 0,
  cause: '',
  mostSubjects: Infinity,
  mostOfIt: Infinity,
  cameBy: '',
  tells: false,
  ...rest,
});

const LONGEST_LEASE_MS = 2 ** 43;

const wholeLease = (ms: number): number => Math.ceil(Math.min(ms, LONGEST_LEASE_MS));

const limited = (most: number): number => (most < Infinity ? Math.max(0, Math.floor(most)) : -1);

const DIGITS_AND_DOTS = /^[\d.]*$/;

/** In the order the script reads them. */
export const operationFields = (operation: Operation): readonly (number | string)[] => [
  operation.subject,
  operation.count,
  operation.payload,
  operation.replaces ? 1 : 0,
  wholeLease(operation.leaseMs),
  operation.cause,
  limited(operation.mostSubjects),
  limited(operation.mostOfIt),
  wholeLease(operation.lostMs),
  // Other text would corrupt the record.
  DIGITS_AND_DOTS.test(operation.cameBy) ? operation.cameBy : '',
  operation.tells ? 1 : 0,
];

const OUTCOMES = ['added', 'removed', 'leased', 'unchanged', 'full', 'early'] as const;

export interface Result {
  /**
   * `added` and `removed`: for all nodes together. `leased`: a lease keeps it. `full`: a limit keeps it out. `early`:
   * the lease is not over yet.
   */
  readonly outcome: (typeof OUTCOMES)[number];
  /** Held by all nodes. */
  readonly total: number;
  /** Held by this node. */
  readonly count: number;
  /** For `leased` and `early`, milliseconds until the lease is over; else 0. */
  readonly leaseMs: number;
  /** Origin of the subject; empty: none. */
  readonly cameBy: string;
  /** Serial of the change that reported the previous payload. Null: unknown. */
  readonly previous: number | null;
  /** For `removed`, the payload of the subject; else null. */
  readonly payload: string | null;
  /** Increases with every change of a subject. */
  readonly serial: number;
  /** Kept in the store until it is settled. Absent: nothing is kept of the change. */
  readonly owed?: Owed;
}

/** Every subject with its record, as the store gives them, and as of when. */
export interface Subjects {
  readonly reply: unknown;
  readonly serial: number;
}

export interface Answer {
  readonly results: readonly Result[];
  /** Null unless wanted. */
  readonly subjects: Subjects | null;
}

export function readAnswer(reply: unknown): Answer {
  const [outcomes, subjects, serial, payloads] = list(reply);
  const removed = list(payloads).values();
  const [first, ...rest] = text(outcomes).split(' ');
  const results = rest.map((result) => {
    const [outcome, total, count, leaseMs, cameBy = '', previous = ''] = result.split(':');
    return {
      outcome: oneOf(outcome, OUTCOMES),
      total: whole(total),
      count: whole(count),
      leaseMs: whole(leaseMs),
      cameBy,
      previous: previous === '' ? null : whole(previous),
      payload: outcome === 'removed' ? text(removed.next().value) : null,
      serial: whole(first),
    };
  });
  return { results, subjects: subjects === null ? null : { reply: subjects, serial: whole(serial) } };
}

/** A subject a dead node held something of. */
export interface Reaped {
  readonly subject: string;
  readonly outcome: 'removed' | 'unchanged';
  readonly total: number;
  readonly cause: string;
  /** Origin; empty: none. */
  readonly cameBy: string;
  /** For `removed`, its payload. Null: not removed, or removed by an older version. */
  readonly payload: string | null;
  readonly serial: number;
  /** Kept in the store until it is settled. Absent: nothing is kept of the change. */
  readonly owed?: Owed;
}

export interface Page {
  readonly changes: readonly Reaped[];
  /** Cursor of the next page; null: last page. */
  readonly cursor: string | null;
  /** Subjects the dead node still holds something of. */
  readonly left: number;
}

export function readPage(reply: unknown): Page {
  const [cursor, left, serial, fields, payloads = []] = list(reply);
  const changes: Reaped[] = [];
  const all = list(fields);
  const removed = list(payloads).values();
  for (let at = 0; at < all.length; at += 5) {
    const outcome = oneOf(all[at + 1], ['removed', 'unchanged']);
    const payload = outcome === 'removed' ? removed.next().value : null;
    changes.push({
      subject: text(all[at]),
      outcome,
      total: whole(all[at + 2]),
      cause: text(all[at + 3]),
      cameBy: text(all[at + 4]),
      payload: typeof payload === 'string' ? payload : null,
      serial: whole(serial),
    });
  }
  return { changes, cursor: cursor === '0' ? null : text(cursor), left: whole(left) };
}

/** Decoded record of a subject. */
export interface SubjectRecord {
  readonly total: number;
  /** Later comers have later texts. */
  readonly order: string;
  /** Origin; empty: none. */
  readonly cameBy: string;
  readonly payload: string;
}

const CAME_BY = /^\d+\.\d+\.(.+)$/;
const RECORD = /^(\d+):([\d.]+):\d*:[^:]*:[^:]*:/;

/** Null: it is not a record of this version. */
export function readRecord(record: string): SubjectRecord | null {
  const header = RECORD.exec(record);
  const [all, total, order] = header ?? [];
  if (all === undefined || total === undefined || order === undefined) return null;
  const [, cameBy = ''] = CAME_BY.exec(order) ?? [];
  return { total: Number(total), order, cameBy, payload: record.slice(all.length) };
}

/** Decodes the subjects and records of a shard. */
export function readSubjects(reply: unknown): [subject: string, record: SubjectRecord][] {
  const subjects: [string, SubjectRecord][] = [];
  for (const [subject, stored] of pairs(reply)) {
    const record = readRecord(stored);
    if (record !== null) subjects.push([subject, record]);
  }
  return subjects;
}
