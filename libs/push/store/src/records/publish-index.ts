import {
  isActive,
  type DeliveryEvent,
  type StoredDeadLetter,
  type StoredPublish,
} from '../model/publishes.js';
import type { RowKey } from '@carillon/records';
import { keyOf } from './keys.js';
import { headKey, INDEX, PUBLISH } from './layout.js';
import type { Parts } from './parts.js';
import type { TimeEntry } from './time-index.js';
import { type Head, headOf } from './values.js';

const HOUR_MS = 3_600_000;
/** Marks an entry of a publish that became active again: its commit may be under way although the publish exists. */
export const AGAIN = 'again';

export const hourOf = (timeMs: number): number => Math.floor(timeMs / HOUR_MS);

const idOf = ({ appId, publishId }: StoredPublish): readonly [string, string] => [appId, publishId];

/** Entry of a publish among the active ones of its app; once due, it is no longer delayed. */
export const activeEntry = ({ publish, activeMs, notBeforeMs }: Head): TimeEntry & { note: string } => ({
  timeMs: activeMs,
  id: [publish.publishId],
  note: String(notBeforeMs ?? ''),
});

/** Whether the publish waits for its time. */
export const isWaiting = ({ notBeforeMs }: Head, nowMs: number): boolean => (notBeforeMs ?? 0) > nowMs;

/** Entries that a publish needs before it is accepted. */
export async function listAdmitted(parts: Parts, head: Head): Promise<void> {
  const { publish, notBeforeMs, liveMs } = head;
  const { appId, updatedMs } = publish;
  const id = idOf(publish);
  if (!isActive(publish)) {
    await parts.over.put([{ timeMs: updatedMs, id }]);
    return;
  }
  const isLater = notBeforeMs !== null && notBeforeMs > publish.createdMs;
  await Promise.all([
    isLater ? parts.waiting.put([{ timeMs: notBeforeMs, id }]) : parts.live.put([{ timeMs: liveMs, id }]),
    parts.active.put([activeEntry(head)], appId),
  ]);
}

/** Entries that a changed publish needs before its commit. */
export async function listChanged(parts: Parts, before: Head, after: Head): Promise<void> {
  const { appId, updatedMs } = after.publish;
  const id = idOf(after.publish);
  const isOver = !isActive(after.publish);
  const wasOver = !isActive(before.publish);
  if (isOver && !(wasOver && before.publish.updatedMs <= updatedMs)) {
    await parts.over.put([{ timeMs: updatedMs, id }]);
  }
  if (!isOver && (wasOver || updatedMs < before.publish.updatedMs)) {
    await parts.live.put([{ timeMs: updatedMs, id, note: AGAIN }]);
  }
  if (!isOver && wasOver) await parts.active.put([activeEntry(after)], appId);
}

/** Removes publishes from the active ones of their app, unless they became active again. */
export async function unlistActive(
  parts: Parts,
  appId: string,
  entries: readonly TimeEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await parts.active.remove(entries, appId);
  const rows = await parts.rows.all(entries.map(({ id: [id = ''] }) => headKey(appId, id)));
  const heads = rows.map((row) => (row === null ? null : headOf(row.value)));
  const alive = heads.filter((head) => head !== null).filter(({ publish }) => isActive(publish));
  await parts.active.put(alive.map(activeEntry), appId);
}

/** Lists the hour of events, of all apps and of the app. */
export async function listEvents(parts: Parts, events: readonly DeliveryEvent[]): Promise<void> {
  const entries = events.map(({ appId, publishId, occurredMs }) => ({
    timeMs: hourOf(occurredMs) * HOUR_MS,
    id: [appId, publishId],
  }));
  const [first] = events;
  if (first === undefined) return;
  const different = [...new Map(entries.map((entry) => [entry.timeMs, entry])).values()];
  await parts.events.put(different);
  await parts.events.put(different, first.appId);
}

export const deadLetterKey = (appId: string, publishId: string, deadLetterId: string): RowKey => ({
  partition: PUBLISH.partition(appId, publishId),
  sort: PUBLISH.deadLetter(deadLetterId),
});

const isReplayable = ({ replayedMs, item }: StoredDeadLetter): boolean =>
  replayedMs === null && item !== null;

export const replayableEntry = ({
  occurredMs: timeMs,
  appId,
  deadLetterId,
}: StoredDeadLetter): TimeEntry => ({
  timeMs,
  id: [appId, deadLetterId],
});

/** Entries that dead letters of one app need before they are stored. */
export async function listDeadLetters(parts: Parts, letters: readonly StoredDeadLetter[]): Promise<void> {
  const [first] = letters;
  if (first === undefined) return;
  const entries = letters.map((letter) => ({
    timeMs: letter.occurredMs,
    id: [letter.appId, letter.deadLetterId],
    note: JSON.stringify([letter.publishId, letter.provider]),
  }));
  await Promise.all([
    parts.deadLetters.put(entries),
    parts.deadLetters.put(
      entries.map((entry) => ({ ...entry, id: entry.id.slice(1) })),
      first.appId,
    ),
    parts.replayable.put(letters.filter(isReplayable).map(replayableEntry)),
    parts.pointers.put(
      letters.map(({ appId, deadLetterId, publishId }) => ({
        partition: INDEX.deadLetter(appId, deadLetterId),
        sort: keyOf('p'),
        note: publishId,
      })),
    ),
  ]);
}

/** Value of an entry in the index of dead letters. */
export function deadLetterNote(note: string): {
  readonly publishId: string;
  readonly provider: string | null;
} {
  const [publishId, provider] = JSON.parse(note) as [string, string | null];
  return { publishId, provider };
}
