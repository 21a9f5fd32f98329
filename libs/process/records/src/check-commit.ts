import type { Commit, CommitLimits } from './port.js';

/** Throws a `RangeError` that names the exceeded limit, or the rule that the commit breaks. */
export function checkCommit({ conditions, puts, deletes }: Commit, limits: CommitLimits): void {
  if (conditions.length === 0) throw new RangeError('a commit needs at least one condition');
  const changed = [...puts.map(({ sort }) => sort), ...deletes];
  if (new Set(changed).size !== changed.length) throw new RangeError('a commit changes a row twice');
  const rows = new Set([...changed, ...conditions.map(({ sort }) => sort)]).size;
  if (rows > limits.rows)
    throw new RangeError(`a commit of ${rows} rows exceeds the limit of ${limits.rows}`);
  let bytes = 0;
  for (const { sort, value } of puts) {
    const valueBytes = Buffer.byteLength(value);
    if (valueBytes > limits.valueBytes) {
      throw new RangeError(`a value of ${valueBytes} bytes exceeds the limit of ${limits.valueBytes}`);
    }
    bytes += valueBytes + Buffer.byteLength(sort);
  }
  if (bytes > limits.bytes) {
    throw new RangeError(`a commit of ${bytes} bytes exceeds the limit of ${limits.bytes}`);
  }
}
