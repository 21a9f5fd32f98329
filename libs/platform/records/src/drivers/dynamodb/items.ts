import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Commit, Condition, Row, RowKey } from '../../port.js';

export type Item = Record<string, AttributeValue>;

/** Attributes of an item. `expiry_s` is the TTL attribute; readers compare the exact `expires_at_ms`. */
export const ATTRIBUTES = {
  partition: 'partition_id',
  sort: 'sort_id',
  version: 'row_version',
  value: 'row_value',
  expiresAtMs: 'expires_at_ms',
  ttlSeconds: 'expiry_s',
} as const;

const { partition: PARTITION, sort: SORT, version: VERSION, expiresAtMs: EXPIRES } = ATTRIBUTES;

export const keyOf = ({ partition, sort }: RowKey): Item => ({
  [PARTITION]: { S: partition },
  [SORT]: { S: sort },
});

export const itemOf = (row: Row): Item => ({
  ...keyOf(row),
  [VERSION]: { N: String(row.version) },
  [ATTRIBUTES.value]: { S: row.value },
  ...(row.expiresAtMs === null
    ? {}
    : {
        [EXPIRES]: { N: String(row.expiresAtMs) },
        // Rounded up: the table may delete an item only after its moment.
        [ATTRIBUTES.ttlSeconds]: { N: String(Math.ceil(row.expiresAtMs / 1000)) },
      }),
});

/** Returns the row of an item; null if it has expired. */
export function rowOf(item: Item, nowMs: number): Row | null {
  const expiry = item[EXPIRES]?.N;
  const expiresAtMs = expiry === undefined ? null : Number(expiry);
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return null;
  return {
    partition: item[PARTITION]?.S ?? '',
    sort: item[SORT]?.S ?? '',
    version: Number(item[VERSION]?.N),
    value: item[ATTRIBUTES.value]?.S ?? '',
    expiresAtMs,
  };
}

/** Returns the operations of a commit: one for each of its rows, as a transaction demands. */
export function operationsOf(table: string, commit: Commit, nowMs: number): TransactWriteItem[] {
  const { partition, conditions, puts, deletes } = commit;
  const expressions = new Map(conditions.map((one) => [one.sort, conditionOf(one, nowMs)]));
  const changed = new Set([...puts.map(({ sort }) => sort), ...deletes]);
  const keyOfSort = (sort: string) => ({ TableName: table, Key: keyOf({ partition, sort }) });
  return [
    ...puts.map((row) => ({
      Put: { TableName: table, Item: itemOf({ ...row, partition }), ...expressions.get(row.sort) },
    })),
    ...deletes.map((sort) => ({ Delete: { ...keyOfSort(sort), ...expressions.get(sort) } })),
    ...conditions
      .filter(({ sort }) => !changed.has(sort))
      .map((one) => ({ ConditionCheck: { ...keyOfSort(one.sort), ...conditionOf(one, nowMs) } })),
  ];
}

function conditionOf({ version }: Condition, nowMs: number) {
  const now = { ':now': { N: String(nowMs) } };
  if (version === null) {
    return {
      ConditionExpression: `attribute_not_exists(${SORT}) OR ${EXPIRES} <= :now`,
      ExpressionAttributeValues: now,
    };
  }
  return {
    ConditionExpression: `${VERSION} = :version AND (attribute_not_exists(${EXPIRES}) OR ${EXPIRES} > :now)`,
    ExpressionAttributeValues: { ...now, ':version': { N: String(version) } },
  };
}
