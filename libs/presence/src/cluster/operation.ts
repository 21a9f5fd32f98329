import type { Owed } from '../port.js';
import { list, oneOf, pairs, text, whole } from './replies.js';

/** How much this node holds of a subject from now on. */
export interface Operation {
  readonly subject: string;
  /** 0: nothing any more. `END_OF_LEASE`: ends the lease this node had begun, if it still hangs on it. */
  readonly count: number;
  /** Kept with the subject. */
  readonly payload: string;
  /**
   * Whether the payload takes the place of that of a subject somebody holds already; of one that is given back, only
   * with the last of it.
   */
  readonly replaces: boolean;
  /** Keeps the subject for so long when the last of it is given back; 0: not at all. */
  readonly leaseMs: number;
  /** The same for a subject that is given back and that the store does not know, which has lost it then. */
  readonly lostMs: number;
  /** Why it is given back, for when the lease ends on another node. */
  readonly cause: string;
  /** More subjects than these are not let in; Infinity: no limit. */
  readonly mostSubjects: number;
  /** All nodes together hold no more of the subject; Infinity: no limit. */
  readonly mostOfIt: number;
  /** What the subject comes by if it is new: digits and dots. Empty: nothing. */
  readonly cameBy: string;
  /** Whether the payload is told, and so becomes the version of the subject. */
  readonly tells: boolean;
}

export const END_OF_LEASE = -1;

/**
 * The cause of taking back what nobody answers for: a node that is dead, or that knows nothing of what a store which came
 * back has of it. The latter may have been told to be gone already, so whoever comes while a lease keeps it is told.
 */
export const LEFTOVER = 'orphan_cleanup';

/** An operation that only holds or gives back. */
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
  // Whatever else it were, it would break the record.
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
  /** What the subject came by, or had come by; empty: nothing. */
  readonly cameBy: string;
  /** The serial of the change that had told the payload before. Null: unknown. */
  readonly previous: number | null;
  /** For `removed`, what was kept with the subject; else null. */
  readonly payload: string | null;
  /** Of two changes of one subject, the later one has the higher serial. */
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
  /** What it had come by; empty: nothing. */
  readonly cameBy: string;
  /** For `removed`, what was kept with it. Null: it was not removed, or a process of before took it back. */
  readonly payload: string | null;
  readonly serial: number;
  /** Kept in the store until it is settled. Absent: nothing is kept of the change. */
  readonly owed?: Owed;
}

export interface Page {
  readonly changes: readonly Reaped[];
  /** Of the next page; null: this was the last one. */
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

/** What a record says. */
export interface SubjectRecord {
  readonly total: number;
  /** Later comers have later texts. */
  readonly order: string;
  /** What it came by; empty: nothing. */
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

/** Subjects and what their records say, of everything a shard has. */
export function readSubjects(reply: unknown): [subject: string, record: SubjectRecord][] {
  const subjects: [string, SubjectRecord][] = [];
  for (const [subject, stored] of pairs(reply)) {
    const record = readRecord(stored);
    if (record !== null) subjects.push([subject, record]);
  }
  return subjects;
}
