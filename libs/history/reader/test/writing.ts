import { randomUUID } from 'node:crypto';
import { evaluate, readArrival, wantedOf } from '@carillon/history-writer';
import type { FanOutRecordBody } from '@carillon/contracts';
import type { CommitRecord, CommitRecordOf, CommitResult } from '@carillon/contracts';
import { type HistoryStore, StoreFailure } from '@carillon/history-store';

/** Result and fan-out record of a record. */
interface Judged {
  readonly result: CommitResult | null;
  readonly fanOut?: FanOutRecordBody | null;
}

export const PRESENCE_CHANNEL = 'presence-room';

/**
 * Commits as a writer does, with retries while another transaction holds the stream; records that need their own
 * transaction must come alone.
 */
export async function write(
  store: Pick<HistoryStore, 'commit'> & Partial<Pick<HistoryStore, 'limits'>>,
  records: readonly CommitRecord[],
  nowMs: number,
): Promise<readonly CommitResult[]> {
  return (await verdicts(store, records, nowMs)).flatMap(({ result }) => result ?? []);
}

/** Like `write`, with the fan-out records, in batches within the store's limits. */
export async function verdicts(
  store: Pick<HistoryStore, 'commit'> & Partial<Pick<HistoryStore, 'limits'>>,
  records: readonly CommitRecord[],
  nowMs: number,
): Promise<readonly Judged[]> {
  const most = store.limits?.records ?? Infinity;
  const settled: Judged[] = [];
  for (let from = 0; from < records.length; from += most)
    settled.push(...(await batch(store, records.slice(from, from + most), nowMs)));
  return settled;
}

async function batch(
  store: Pick<HistoryStore, 'commit'>,
  records: readonly CommitRecord[],
  nowMs: number,
): Promise<readonly Judged[]> {
  const arrivals = records.map((record) => {
    const checked = readArrival(record, null);
    if (!checked.ok) throw new Error(checked.result.error ?? 'rejected');
    return checked.arrival;
  });
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const evaluation = await unlessTransient(() =>
      store.commit(wantedOf(arrivals, nowMs), (found) =>
        evaluate(arrivals, found, {
          nowMs,
          writerId: 'w',
          nodeId: 'writer-1',
          newStreamId: randomUUID,
          nextCount: () => {
            count += 1;
            return count;
          },
          handedOver: () => 0,
        }),
      ),
    );
    const settled = evaluation?.verdicts.filter(({ result }) => result !== null) ?? [];
    // All of them are of one stream.
    if (settled.length === records.length) return settled;
  }
  throw new Error('somebody holds the stream');
}

/** Null: it may be tried again, as after a deadlock. */
export async function unlessTransient<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFailure && error.transient) return null;
    throw error;
  }
}

let count = 0;

const MAX_TRIES = 1000;

export const POLICY: CommitRecordOf<'publish'>['policy'] = {
  history_ms: 86_400_000,
  versions_ms: null,
  max_messages: null,
  max_bytes: null,
  versioned: false,
  cache: false,
  ai: null,
};

/** A publish that nothing is special about. */
export const publishOf = (
  channel: string,
  policy: Partial<CommitRecordOf<'publish'>['policy']> = {},
): CommitRecordOf<'publish'> => ({
  op: 'publish',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel,
  message_id: randomUUID(),
  message: JSON.stringify({ event: 'e', channel, data: 'x' }),
  policy: { ...POLICY, ...policy },
});

/** A change of a member of the presence channel. */
export const transition = (
  event: CommitRecordOf<'presence'>['event'],
  userId: string,
  policy: Partial<CommitRecordOf<'presence'>['policy']> = {},
  channel: string = PRESENCE_CHANNEL,
): CommitRecordOf<'presence'> => ({
  op: 'presence',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel,
  event,
  cause: 'join',
  user_id: userId,
  policy: { ...POLICY, ...policy },
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
