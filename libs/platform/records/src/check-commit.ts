import { checkKey, checkValue } from './check-rows.js';
import type { Commit, CommitLimits } from './port.js';

/** Throws a `RangeError` that names the exceeded limit, or the rule that the commit breaks. */
export function checkCommit(commit: Commit, limits: CommitLimits): void {
  checkShape(commit, limits);
  let bytes = 0;
  for (const row of commit.puts) bytes += checkValue(row, limits) + Buffer.byteLength(row.sort);
  if (bytes > limits.bytes) {
    throw new RangeError(`a commit of ${bytes} bytes exceeds the limit of ${limits.bytes}`);
  }
}

function checkShape({ partition, conditions, puts, deletes }: Commit, limits: CommitLimits): void {
  if (conditions.length === 0) throw new RangeError('a commit needs at least one condition');
  const changed = [...puts.map(({ sort }) => sort), ...deletes];
  const conditioned = conditions.map(({ sort }) => sort);
  if (hasRepeats(changed)) throw new RangeError('a commit changes a row twice');
  if (hasRepeats(conditioned)) throw new RangeError('a commit has two conditions on one row');
  const sorts = new Set([...changed, ...conditioned]);
  if (sorts.size > limits.rows) {
    throw new RangeError(`a commit of ${sorts.size} rows exceeds the limit of ${limits.rows}`);
  }
  for (const sort of sorts) checkKey({ partition, sort });
}

const hasRepeats = (sorts: readonly string[]): boolean => new Set(sorts).size !== sorts.length;
