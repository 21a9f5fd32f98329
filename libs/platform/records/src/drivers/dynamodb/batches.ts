import type {
  BatchGetItemCommandOutput,
  BatchWriteItemCommandOutput,
  KeysAndAttributes,
  WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Deadline } from '../deadline.js';
import type { Item } from './items.js';
import { retried, type DynamoParts } from './requests.js';

const MAX_KEYS_READ = 100;
const MAX_ITEMS_WRITTEN = 25;
/** Requests of one call that run concurrently. */
const CONCURRENT_REQUESTS = 4;

/** Reads items by key with strong consistency. */
export async function readItems(
  parts: DynamoParts,
  keys: readonly Item[],
  deadline: Deadline,
): Promise<Item[]> {
  const pages = await inChunks(keys, MAX_KEYS_READ, (some) => readChunk(parts, some, deadline));
  return pages.flat();
}

async function readChunk({ sdk, client, table }: DynamoParts, keys: readonly Item[], deadline: Deadline) {
  const items: Item[] = [];
  let open: KeysAndAttributes | undefined = { Keys: [...keys], ConsistentRead: true };
  for (let attempt = 0; open !== undefined; attempt += 1) {
    if (attempt > 0) await deadline.backOff(attempt - 1);
    const command = new sdk.BatchGetItemCommand({ RequestItems: { [table]: open } });
    const send = () => client.send(command, { abortSignal: deadline.signal });
    const answer: BatchGetItemCommandOutput = await retried(deadline, send);
    items.push(...(answer.Responses?.[table] ?? []));
    open = answer.UnprocessedKeys?.[table];
  }
  return items;
}

/** Writes or deletes items individually. */
export async function writeItems(
  parts: DynamoParts,
  writes: readonly WriteRequest[],
  deadline: Deadline,
): Promise<void> {
  await inChunks(writes, MAX_ITEMS_WRITTEN, (some) => writeChunk(parts, some, deadline));
}

async function writeChunk(
  { sdk, client, table }: DynamoParts,
  writes: readonly WriteRequest[],
  deadline: Deadline,
): Promise<void> {
  let open: WriteRequest[] | undefined = [...writes];
  for (let attempt = 0; open !== undefined && open.length > 0; attempt += 1) {
    if (attempt > 0) await deadline.backOff(attempt - 1);
    const command = new sdk.BatchWriteItemCommand({ RequestItems: { [table]: open } });
    const send = () => client.send(command, { abortSignal: deadline.signal });
    const answer: BatchWriteItemCommandOutput = await retried(deadline, send);
    open = answer.UnprocessedItems?.[table];
  }
}

async function inChunks<Entry, Answer>(
  entries: readonly Entry[],
  size: number,
  work: (some: readonly Entry[]) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const step = size * CONCURRENT_REQUESTS;
  for (let start = 0; start < entries.length; start += step) {
    const chunks: Promise<Answer>[] = [];
    for (let from = start; from < Math.min(start + step, entries.length); from += size) {
      chunks.push(work(entries.slice(from, from + size)));
    }
    answers.push(...(await Promise.all(chunks)));
  }
  return answers;
}
