import { randomUUID } from 'node:crypto';
import type { CommitRecord, CommitResult } from '@carillon/contracts';
import { MemoryHistoryStore, type Stream } from '@carillon/history-store';
import { type Chain, evaluate, type Evaluation, wantedOf } from '../../src/index.js';
import { arrivalOf } from '../samples.js';

let count = 0;

/** Decides batches over a memory store, with a manual clock. */
export class Scene {
  readonly store = new MemoryHistoryStore();
  nowMs = 1_760_000_000_000;

  batch(records: readonly CommitRecord[], chain: Chain | null = null): Promise<Evaluation> {
    const arrivals = records.map((record) => arrivalOf(record, chain));
    return this.store.commit(wantedOf(arrivals, this.nowMs), (found) =>
      evaluate(arrivals, found, {
        nowMs: this.nowMs,
        writerId: 'w1',
        nodeId: 'node-1',
        newStreamId: randomUUID,
        nextCount: () => {
          count += 1;
          return count;
        },
        handedOver: () => 0,
      }),
    );
  }

  async results(...records: CommitRecord[]): Promise<(CommitResult | null)[]> {
    return (await this.batch(records)).verdicts.map(({ result }) => result);
  }

  async result(record: CommitRecord): Promise<CommitResult> {
    const [result] = await this.results(record);
    if (result === null || result === undefined) throw new Error('it has to wait');
    return result;
  }

  async stream(channel: string, kind: 'messages' | 'presence' = 'messages'): Promise<Stream> {
    const [stream] = (await this.store.heads([{ appId: 'shop', channel, kind }])).values();
    if (stream === undefined) throw new Error('there is no stream');
    return stream;
  }

  /** The visible history, oldest first, as serials and texts. */
  async history(
    channel: string,
  ): Promise<{ serial: number | null; delivery: number; atMs: number; payload: string | null }[]> {
    const rows = await this.store.page({
      stream: await this.stream(channel),
      nowMs: this.nowMs,
      newestFirst: false,
      fromSerial: null,
      toSerial: null,
      fromMs: null,
      toMs: null,
      limit: 10_000,
    });
    return rows.map(({ historySerial, deliverySerial, publishedAtMs, payload }) => ({
      serial: historySerial,
      delivery: deliverySerial,
      atMs: publishedAtMs,
      payload,
    }));
  }
}
