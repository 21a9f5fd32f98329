import type { CommitLimits, RangeQuery, Row, RowKey } from './port.js';

/** Bound of the keys or rows of one `get`, `put` or `remove`. */
const MAX_ROWS_PER_CALL = 1000;

const MAX_KEY_BYTES = 1000;

/** Throws a `RangeError` if a partition or a sort is empty or longer than 1,000 bytes. */
export function checkKey({ partition, sort }: RowKey): void {
  checkKeyText('partition', partition);
  checkKeyText('sort', sort);
}

/** Checks keys of a `get` or `remove` and returns the distinct ones. Throws a `RangeError`. */
export function distinctKeys(keys: readonly RowKey[]): RowKey[] {
  checkCount(keys.length);
  keys.forEach(checkKey);
  return [...new Map(keys.map((key) => [identity(key), key])).values()];
}

/** Throws a `RangeError` if one row of a `put` breaks a limit or is given twice. */
export function checkPut(rows: readonly Row[], limits: CommitLimits): void {
  if (distinctKeys(rows).length !== rows.length) throw new RangeError('a put writes a row twice');
  for (const row of rows) checkValue(row, limits);
}

/** Throws a `RangeError` if the partition is empty or the limit is not a positive integer. */
export function checkRange({ partition, limit }: RangeQuery): void {
  checkKeyText('partition', partition);
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new RangeError(`limit ${limit} of a range is not a positive integer`);
  }
}

/** Throws a `RangeError` if the value is too long or the version is not a safe integer. Returns the bytes of the value. */
export function checkValue(row: Omit<Row, 'partition'>, limits: CommitLimits): number {
  if (!Number.isSafeInteger(row.version))
    throw new RangeError(`version ${row.version} is not a safe integer`);
  const bytes = Buffer.byteLength(row.value);
  if (bytes <= limits.valueBytes) return bytes;
  throw new RangeError(`a value of ${bytes} bytes exceeds the limit of ${limits.valueBytes}`);
}

function checkCount(count: number): void {
  if (count <= MAX_ROWS_PER_CALL) return;
  throw new RangeError(`${count} rows in one call exceed the limit of ${MAX_ROWS_PER_CALL}`);
}

function checkKeyText(name: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes >= 1 && bytes <= MAX_KEY_BYTES) return;
  throw new RangeError(`a ${name} of ${bytes} bytes is not between 1 and ${MAX_KEY_BYTES} bytes`);
}

/** Unique, since the length marks the end of the partition. */
const identity = ({ partition, sort }: RowKey): string => `${partition.length}:${partition}${sort}`;
