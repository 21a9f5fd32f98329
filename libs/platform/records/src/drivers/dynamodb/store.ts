import { randomUUID } from 'node:crypto';
import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { awsFailureText, isCredentialFailure } from '@carillon/aws';
import { checkCommit } from '../../check-commit.js';
import { checkPut, checkRange, distinctKeys } from '../../check-rows.js';
import type { Commit, CommitLimits, RangeQuery, RecordStore, Row, RowKey } from '../../port.js';
import type { Deadline } from '../deadline.js';
import { isEmptyRange } from '../../order.js';
import { readItems, writeItems } from './batches.js';
import { ATTRIBUTES, type Item, itemOf, keyOf, operationsOf, rowOf } from './items.js';
import { bounded, type DynamoParts, isRefused, retried } from './requests.js';
import { ensureTable, WrongTable } from './table.js';

/**
 * A transaction has at most 100 items and 4 MB, an item 400 KB, with names, keys and numbers: about 1,200 bytes an item
 * that a commit does not count.
 */
const LIMITS: CommitLimits = { rows: 100, bytes: 3_500_000, valueBytes: 380_000 };

/**
 * Rows as items of one table; a commit is a transaction. Expired items are deleted by the TTL of the table, which may take
 * days, and are ignored until then.
 */
export class DynamoRecords implements RecordStore {
  readonly limits = LIMITS;

  constructor(private readonly parts: DynamoParts) {}

  async connect(): Promise<void> {
    try {
      await bounded(this.parts, (deadline) => ensureTable(this.parts, deadline), isFinal);
    } catch (error) {
      if (!isCredentialFailure(error)) throw error;
      throw new Error(awsFailureText(error, this.parts.place), { cause: error });
    }
  }

  async get(keys: readonly RowKey[]): Promise<Row[]> {
    const distinct = distinctKeys(keys).map(keyOf);
    const items = await bounded(this.parts, (deadline) => readItems(this.parts, distinct, deadline));
    return rowsOf(items);
  }

  async range(query: RangeQuery): Promise<Row[]> {
    checkRange(query);
    const request = requestOf(this.parts.table, query);
    if (request === null) return [];
    return bounded(this.parts, (deadline) => this.#pages(query, request, deadline));
  }

  async commit(commit: Commit): Promise<boolean> {
    checkCommit(commit, this.limits);
    const { sdk, client, table } = this.parts;
    const command = new sdk.TransactWriteItemsCommand({
      TransactItems: operationsOf(table, commit, Date.now()),
      // A repeated request whose first answer was lost succeeds without being applied twice.
      ClientRequestToken: randomUUID(),
    });
    try {
      await bounded(
        this.parts,
        (deadline) => retried(deadline, () => client.send(command, { abortSignal: deadline.signal })),
        isRefused,
      );
      return true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  }

  async put(rows: readonly Row[]): Promise<void> {
    checkPut(rows, this.limits);
    const writes = rows.map((row) => ({ PutRequest: { Item: itemOf(row) } }));
    await bounded(this.parts, (deadline) => writeItems(this.parts, writes, deadline));
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    const writes = distinctKeys(keys).map((key) => ({ DeleteRequest: { Key: keyOf(key) } }));
    await bounded(this.parts, (deadline) => writeItems(this.parts, writes, deadline));
  }

  async health(): Promise<void> {
    const probe = [keyOf({ partition: 'health', sort: 'health' })];
    await bounded(this.parts, (deadline) => readItems(this.parts, probe, deadline));
  }

  async close(): Promise<void> {
    this.parts.client.destroy();
  }

  async #pages({ to, limit }: RangeQuery, request: QueryCommandInput, deadline: Deadline): Promise<Row[]> {
    const { sdk, client } = this.parts;
    const rows: Row[] = [];
    let start: Item | undefined;
    do {
      // One more than missing, since the upper bound of the request is inclusive.
      const page = { ...request, Limit: limit - rows.length + 1, ExclusiveStartKey: start };
      const send = () => client.send(new sdk.QueryCommand(page), { abortSignal: deadline.signal });
      const { Items: items = [], LastEvaluatedKey: last } = await retried(deadline, send);
      rows.push(...rowsOf(items).filter(({ sort }) => sort !== to));
      start = last;
    } while (rows.length < limit && start !== undefined);
    return rows.slice(0, limit);
  }
}

const isFinal = (error: unknown): boolean => error instanceof WrongTable || isCredentialFailure(error);

/** Returns the request for a range, whose upper bound is inclusive; null if the range is empty. */
function requestOf(table: string, { partition, from, to, reverse }: RangeQuery): QueryCommandInput | null {
  // A key is never empty, so an empty lower bound is no bound.
  const lower = from === '' ? null : from;
  if (isEmptyRange(lower, to)) return null;
  const { partition: partitionName, sort } = ATTRIBUTES;
  const bounds = [
    ...(lower === null ? [] : [`${sort} >= :from`]),
    ...(to === null ? [] : [`${sort} <= :to`]),
  ];
  const condition = bounds.length === 2 ? `${sort} BETWEEN :from AND :to` : bounds.join('');
  return {
    TableName: table,
    ConsistentRead: true,
    ScanIndexForward: !reverse,
    KeyConditionExpression: [`${partitionName} = :partition`, condition].filter(Boolean).join(' AND '),
    ExpressionAttributeValues: {
      ':partition': { S: partition },
      ...(lower === null ? {} : { ':from': { S: lower } }),
      ...(to === null ? {} : { ':to': { S: to } }),
    },
  };
}

function rowsOf(items: readonly Item[]): Row[] {
  const nowMs = Date.now();
  return items.flatMap((item) => rowOf(item, nowMs) ?? []);
}
