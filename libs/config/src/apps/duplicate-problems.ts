import type { Problem } from '../problem.js';
import type { AppRecord } from './record.js';

/**
 * One problem for every id that was used before and one for every key, at the later record; keys are not printed.
 * `records` are the apps of `app_manager.array.apps` in their order, null where one could not be read.
 */
export function duplicateProblems(
  records: readonly (Pick<AppRecord, 'id' | 'key'> | null)[],
  path = 'app_manager.array.apps',
): Problem[] {
  const ids = new Set<string>();
  const keys = new Set<string>();
  return records.flatMap((record, place) => {
    if (record === null) return [];
    const { id, key } = record;
    const found = [
      ...(ids.has(id) ? [{ path: `${path}[${place}].id`, message: `duplicate app id "${id}"` }] : []),
      ...(keys.has(key) ? [{ path: `${path}[${place}].key`, message: 'duplicate app key' }] : []),
    ];
    ids.add(id);
    keys.add(key);
    return found;
  });
}
