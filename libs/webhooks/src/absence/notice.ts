/**
 * Shared record of one place: the last notified state, and the change that set it. A change is identified by its
 * serial; null if an older version wrote the record.
 * - `here`: notified as present; the change was the notified arrival.
 * - `back`: notified as present; the change was an arrival that cancelled a departure.
 * - `went`: notified as present; the change is a departure whose settle time runs.
 * - `early`: not notified; the change is a departure that was recorded before its arrival.
 * No record: notified as absent, or never.
 */
export interface Notice {
  readonly kind: 'back' | 'early' | 'here' | 'went';
  readonly serial: number | null;
  /** Serial of the notified arrival, for a departure that was recorded before its arrival. */
  readonly arrival?: number;
}

/** The text of older processes for `here`; they take any other text for a departure, and so keep its meaning. */
const HERE = 'here';
const TEXT = /^(back|early|here|went) (\d+)(?: (\d+))?$/;

/** Null: there is no record. */
export function readNotice(text: string | null): Notice | null {
  if (text === null) return null;
  if (text === HERE) return { kind: 'here', serial: null };
  const [, kind, serial, arrival] = TEXT.exec(text) ?? [];
  if (serial === undefined) return { kind: 'went', serial: null };
  const after = arrival === undefined ? {} : { arrival: Number(arrival) };
  return { kind: kind as Notice['kind'], serial: Number(serial), ...after };
}

export const noticeText = ({ kind, serial, arrival }: Notice): string =>
  serial === null ? HERE : [kind, serial, arrival].filter((part) => part !== undefined).join(' ');

/** The record after a change, and the consequence for the change. */
export interface Noted<Outcome> {
  /** Absent: the record stays. */
  readonly next?: Notice;
  readonly outcome: Outcome;
}

/** Records an arrival. `first`: to be notified; `known`: receivers know of an earlier one. Idempotent. */
export function arrive(now: Notice | null, serial: number): Noted<'first' | 'known'> {
  if (now === null) return { next: { kind: 'here', serial }, outcome: 'first' };
  const isLater = now.serial !== null && now.serial > serial;
  switch (now.kind) {
    case 'here':
      return { outcome: now.serial === serial ? 'first' : 'known' };
    case 'back':
      return { outcome: 'known' };
    case 'early':
      if (isLater) return { next: { kind: 'went', serial: now.serial, arrival: serial }, outcome: 'first' };
      return { next: { kind: 'here', serial }, outcome: 'first' };
    case 'went':
    default:
      if (isLater) return { outcome: now.arrival === serial ? 'first' : 'known' };
      return { next: { kind: 'back', serial }, outcome: 'known' };
  }
}

/** Records a departure. `open`: its settle time begins; `closed`: a later change is recorded already. Idempotent. */
export function depart(now: Notice | null, serial: number): Noted<'closed' | 'open'> {
  if (now === null) return { next: { kind: 'early', serial }, outcome: 'open' };
  if (now.serial !== null && now.serial > serial) return { outcome: 'closed' };
  if (now.serial === serial) return { outcome: isSettling(now, serial) ? 'open' : 'closed' };
  if (now.kind === 'early') return { next: { kind: 'early', serial }, outcome: 'open' };
  return { next: { kind: 'went', serial }, outcome: 'open' };
}

/** Whether the record waits for the settle time of this departure. */
export const isSettling = (now: Notice, serial: number): boolean =>
  now.serial === serial && (now.kind === 'went' || now.kind === 'early');
