import type { CommitRecord, CommitResult } from '@carillon/contracts';
import { newStream, streamName } from '@carillon/history-store';
import type { Message } from '@carillon/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DurableDelivery, type DurableDeliveryParts } from '../../src/durable/durable-delivery.js';
import { metrics } from '../samples.js';
import { otherwise, record, STREAM } from './records.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A gateway with a subscriber, and a writer that confirms or rejects each claim. */
async function scene(holds: readonly boolean[]) {
  const address = { appId: 'shop', channel: 'orders', kind: 'messages' } as const;
  const claims: CommitRecord[] = [];
  const delivered: string[] = [];
  const local = { remembers: () => true };
  const parts = {
    hubs: { find: () => local },
    delivery: { deliver: ({ fact }: { fact: Message }) => delivered.push(fact.messageId) },
    reads: {
      heads: async () => new Map([[streamName(address), newStream(address, '1', STREAM, 0)]]),
      range: async () => [],
      messages: async () => [],
      annotations: async () => [],
      summaries: async () => [],
    },
    commits: {
      commit: async (records: readonly CommitRecord[]): Promise<readonly CommitResult[]> => {
        claims.push(...records);
        const changed = holds[claims.length - 1] ?? false;
        return records.map(({ pub_id }) => ({ pub_id, status: 'applied', extra: { changed } }));
      },
    },
    past: { keep: () => undefined },
    givenUp: () => undefined,
    nodeId: () => 'gw-1',
    metrics: metrics(),
    onTrouble: (what: string, error: unknown) => {
      throw new Error(what, { cause: error });
    },
  } as unknown as DurableDeliveryParts;
  const delivery = new DurableDelivery(parts);
  delivery.take(record(1));
  await vi.advanceTimersByTimeAsync(10);
  for (const serial of [2, 3]) delivery.take(record(serial));
  delivery.take(otherwise(2));
  delivery.take(otherwise(3));
  await vi.advanceTimersByTimeAsync(10);
  delivery.stop();
  return { claims, delivered };
}

const about = (serial: number) => ({
  op: 'mark',
  app_id: 'shop',
  channel: 'orders',
  stream: 'messages',
  state: 'reset_required',
  reason: 'history_stream_regressed',
  node_id: 'gw-1',
  seen_stream_id: STREAM,
  seen_delivery_serial: serial,
  seen_message_id: `${STREAM} ${serial}`,
  seen_history_serial: 3,
});

describe('a second past of a stream', () => {
  it('is delivered, and claimed once by what was delivered last', async () => {
    const { claims, delivered } = await scene([true]);
    expect(delivered.slice(3)).toEqual(['otherwise 2', 'otherwise 3']);
    expect(claims).toMatchObject([about(3)]);
  });

  it('is claimed by what it contradicts when the last does not prove it', async () => {
    const { claims } = await scene([false, true]);
    expect(claims).toMatchObject([about(3), about(2)]);
  });
});
