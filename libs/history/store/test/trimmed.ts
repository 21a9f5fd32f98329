import type { Database } from '@carillon/database';
import type { DurableStore } from '../src/index.js';
import { addressOf, append, headOf, NOW_MS } from './scene.js';

const PAYLOAD = JSON.stringify({ event: 'e', data: 'x'.repeat(2000) });

/** Fills a channel limited to three records with 600, trims it, and returns the size of its table. */
export async function fillAndTrim(
  { store, database }: { readonly store: DurableStore; readonly database: Database },
  round: number,
  freed: () => Promise<void> = async () => {},
): Promise<number> {
  const address = addressOf('reused');
  const nowMs = NOW_MS + round * 20_000;
  const rows = Array.from({ length: 600 }, () => ({ payload: PAYLOAD, payloadSize: PAYLOAD.length }));
  await append(store, address, rows, { maxMessages: 3 });
  const { streamKey, generation, nextDeliverySerial } = await headOf(store, address);
  const mark = { streamKey, generation, serial: nextDeliverySerial - 1 };
  await store.raiseWatermarks([mark], { lanes: [1], writerId: 'w', nowMs });
  const request = { nowMs, batch: 1000, receiptsKeptMs: 600_000, windowMs: 0, onlyCapped: true } as const;
  while ((await store.purge(request))?.more !== false);
  await freed();
  const { rows: found } = await database.query(
    `select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree('service_history_records')`,
  );
  return Number(found[0]?.['bytes']);
}
