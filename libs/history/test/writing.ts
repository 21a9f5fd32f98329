import { randomUUID } from 'node:crypto';
import { evaluate, readArrival, wantedOf } from '@carillon/commit';
import type { CommitRecord, CommitRecordOf, CommitResult } from '@carillon/contract';
import type { MemoryHistoryStore } from '@carillon/history-store';

export const PRESENCE_CHANNEL = 'presence-room';

/** Commits as a writer does; records that stand alone must come alone. */
export async function write(
  store: MemoryHistoryStore,
  records: readonly CommitRecord[],
  nowMs: number,
): Promise<readonly CommitResult[]> {
  const arrivals = records.map((record) => {
    const checked = readArrival(record, null);
    if (!checked.ok) throw new Error(checked.result.error ?? 'rejected');
    return checked.arrival;
  });
  const { verdicts } = await store.commit(wantedOf(arrivals, nowMs), (found) =>
    evaluate(arrivals, found, {
      nowMs,
      writerId: 'w',
      nodeId: 'writer-1',
      newStreamId: randomUUID,
      handedOver: () => 0,
    }),
  );
  return verdicts.map(({ result }) => {
    if (result === null) throw new Error('it has to wait');
    return result;
  });
}

/** A change of a member of the presence channel. */
export const transition = (
  event: CommitRecordOf<'presence'>['event'],
  userId: string,
  policy: Partial<CommitRecordOf<'presence'>['policy']> = {},
): CommitRecordOf<'presence'> => ({
  op: 'presence',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel: PRESENCE_CHANNEL,
  event,
  cause: 'join',
  user_id: userId,
  policy: {
    history_ms: 86_400_000,
    versions_ms: null,
    max_messages: null,
    max_bytes: null,
    versioned: false,
    cache: false,
    ai: null,
    ...policy,
  },
});

export const resetOf = (
  stream: 'messages' | 'presence',
  channel: string = PRESENCE_CHANNEL,
): CommitRecordOf<'reset'> => ({
  op: 'reset',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel,
  stream,
  reason: 'a test',
});
