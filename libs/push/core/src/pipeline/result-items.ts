import type { JsonObject } from '@carillon/push-providers';
import { sha256 } from '../hash.js';
import type { NewItem } from './items.js';
import type { DeliveryBatch, DeliveryJob, Feedback } from './payloads.js';
import type { Result } from './results.js';

/** Deliveries of a batch with their results. */
export type BatchResults = readonly (readonly [DeliveryJob, Result])[];

/** Limit of results in one queue item. */
const MAX_RESULTS = 500;
/** Bytes of an item besides its results and the payload of the notification. */
const HEAD_BYTES = 2048;

export interface ItemOptions {
  readonly nowMs: number;
  readonly dryRun: boolean;
  /** Limit in bytes of an item with several results; null: every result becomes an item of its own. */
  readonly maxBatchBytes: number | null;
}

/** Encodes results as queue items: many in one item if the consumers read that, else one in each. */
export function resultItems(
  batch: DeliveryBatch,
  results: BatchResults,
  { nowMs, dryRun, maxBatchBytes }: ItemOptions,
): NewItem[] {
  const entries = results.map(([job, one]): ResultEntry => ({
    ...one,
    job: { ...job, firstAttemptAtMs: job.firstAttemptAtMs ?? nowMs },
  }));
  const groups =
    maxBatchBytes === null ? entries.map((one) => [one]) : grouped(batch, entries, maxBatchBytes);
  return groups.map((group) => itemOf(batch, group, dryRun));
}

type ResultEntry = Result & Pick<Feedback, 'job'>;

/** Splits entries into groups that fit into one item each. */
function grouped(
  batch: DeliveryBatch,
  entries: readonly ResultEntry[],
  maxBytes: number,
): readonly (readonly ResultEntry[])[] {
  const room = maxBytes - HEAD_BYTES - Buffer.byteLength(JSON.stringify(batch.rendered));
  const groups: ResultEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const own = Buffer.byteLength(JSON.stringify(entry)) + 1;
    const last = groups.at(-1);
    const fits = last !== undefined && last.length < MAX_RESULTS && bytes + own <= room;
    if (fits) last.push(entry);
    else groups.push([entry]);
    bytes = fits ? bytes + own : own;
  }
  return groups;
}

/** A single result keeps the format that every release reads. */
function itemOf(batch: DeliveryBatch, group: readonly ResultEntry[], dryRun: boolean): NewItem {
  const { appId, publishId, provider, batchId, expiresAtMs } = batch;
  // Only a delivery that may be sent again needs the payload.
  const rendered: JsonObject = group.some(({ outcome }) => outcome !== 'accepted') ? batch.rendered : {};
  const common = { appId, publishId, provider, batchId, rendered, expiresAtMs, dryRun };
  const names = group.map(({ job }) => `${job.deliveryKey}:${job.attempt}`);
  const [first] = group;
  const isSingle = group.length === 1 && first !== undefined;
  return {
    stage: 'results',
    key: `${appId}:${publishId}:${provider}:${batchId}:${isSingle ? names.join('') : sha256(...names)}`,
    partitionKey: appId,
    payload: isSingle
      ? { kind: 'deliveryFeedback', ...common, told: false, ...first }
      : { kind: 'deliveryFeedbackBatch', ...common, results: group },
  };
}
