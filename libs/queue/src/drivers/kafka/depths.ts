import type { Admin } from 'kafkajs';
import type { KafkaQueueNames } from './names.js';
import { OffsetLedger } from '../../broker/offset-ledger.js';

/** Depth of a queue by the commits of its consumer group. */
export interface QueueDepths {
  readonly ready: number;
  readonly active: number;
  readonly delayed: number;
}

interface Lag {
  /** Records that are neither settled nor handed out. */
  readonly untouched: number;
  readonly handedOut: number;
}

export async function readDepths(
  admin: Admin,
  { topic, retry, group }: KafkaQueueNames,
): Promise<QueueDepths> {
  const [commits, main, waiting] = await Promise.all([
    admin.fetchOffsets({ groupId: group, topics: [topic, retry] }),
    admin.fetchTopicOffsets(topic),
    admin.fetchTopicOffsets(retry),
  ]);
  const lagOf = (name: string, bounds: typeof main): Lag => {
    const own = commits.find((commit) => commit.topic === name)?.partitions ?? [];
    let [untouched, handedOut] = [0, 0];
    for (const { partition, low, high } of bounds) {
      const commit = own.find((one) => one.partition === partition);
      const committed = Number(commit?.offset ?? -1);
      const offset = Math.max(Number(low), committed);
      const metadata = committed >= Number(low) ? (commit?.metadata ?? '') : '';
      const { handedCount, settledCount } = OffsetLedger.restore({ offset, metadata });
      untouched += Math.max(0, Number(high) - offset - settledCount - handedCount);
      handedOut += handedCount;
    }
    return { untouched, handedOut };
  };
  const [ready, retries] = [lagOf(topic, main), lagOf(retry, waiting)];
  return {
    ready: ready.untouched,
    active: ready.handedOut + retries.handedOut,
    delayed: retries.untouched,
  };
}
