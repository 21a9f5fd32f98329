import type { StoredRecord } from '@carillon/history-store';
import { foldVersions } from '@carillon/history-messages';

/** A change of a message that was tried. */
export interface Change {
  /** What was appended; null: it changes something else. */
  readonly fragment: string | null;
  accepted: boolean;
}

/** One version of a message as it is listed, or the message as it is now. */
export interface Version {
  readonly action: string;
  readonly data?: unknown;
  readonly extras?: unknown;
  readonly name?: string;
  readonly delivery_serial: number;
  readonly version: { readonly serial: string };
}

/** Every accepted fragment is there once and in order, and nothing else. */
export function checkText(text: unknown, changes: readonly Change[]): string[] {
  const fragments = changes.flatMap(({ fragment, accepted }) =>
    fragment === null || !accepted ? [] : [fragment],
  );
  const expected = `>${fragments.join('')}`;
  return text === expected
    ? []
    : [`its text is ${String(text).slice(0, 200)}, not ${expected.slice(0, 200)}`];
}

/** One version for each accepted change, in one order, and the message is what they come to. */
export function checkVersions(
  versions: readonly Version[],
  latest: Version,
  changes: readonly Change[],
): string[] {
  const wrong: string[] = [];
  const wanted = changes.filter(({ accepted }) => accepted).length + 1;
  if (versions.length !== wanted) wrong.push(`it has ${versions.length} versions, not ${wanted}`);
  const isAscending = versions.every((one, at) => at === 0 || isBefore(versions[at - 1] ?? one, one));
  if (!isAscending) wrong.push('its versions are not in one order');
  const folded = foldVersions(versions.map(recordOf));
  if (folded?.data !== JSON.stringify(latest.data)) wrong.push('it is not what its versions come to');
  if (versions.at(-1)?.version.serial !== latest.version.serial) wrong.push('its latest version is another');
  return wrong;
}

const isBefore = (one: Version, next: Version): boolean =>
  one.delivery_serial < next.delivery_serial && one.version.serial < next.version.serial;

/** As much of a record as adding versions up needs. */
function recordOf({ action, data, extras, name }: Version): StoredRecord {
  const record: Partial<StoredRecord> = {
    action: action as StoredRecord['action'],
    eventName: name ?? null,
    payload: JSON.stringify({ data, extras }),
  };
  return record as StoredRecord;
}
