import type { StoredMessage, StoredRecord } from '@carillon/history-store';
import { dataKindMember, dataMarksOf, rawMember } from '@carillon/protocol';

/** One version as it is shown. Texts of JSON as they were written; null: nothing. */
export interface Version {
  readonly name: string | null;
  /** For an append: its fragment. */
  readonly data: string | null;
  /** The data is bytes, of which it is the list. */
  readonly isBytes: boolean;
  /** The data is a string that holds the JSON text of a published value of another type. */
  readonly isJsonText: boolean;
  readonly extras: string | null;
  /** Owner of the message: its creator if known, else the author of the change. */
  readonly userId: string | null;
  readonly clientId: string | null;
  readonly description: string | null;
  readonly metadata: string | null;
}

/** Encodes the fields of a version that have no column. */
export function payloadOf(message: StoredMessage, fragment: string | null): string {
  const userId = message.creatorId ?? message.clientId;
  return objectText([
    ['data', fragment === null ? (message.data?.text ?? null) : JSON.stringify(fragment)],
    fragment === null ? dataKindMember(marksOf(message)) : NO_MARKS,
    ['extras', message.extras],
    ['user_id', quoted(userId)],
    ['description', quoted(message.description)],
    ['metadata', message.metadata],
  ]);
}

const NO_MARKS = dataKindMember({});

/** Returns the marks of a message's whole data. */
export const marksOf = ({ dataKind, isJsonText }: StoredMessage) => ({
  isBytes: dataKind === 'bytes',
  isJsonText: isJsonText === true,
});

/** Decodes a stored record of a mutable message into its version fields. */
export function versionOf(record: StoredRecord): Version {
  const payload = record.payload ?? '{}';
  const text = (name: string): string | null => {
    const raw = rawMember(payload, name);
    return raw === null ? null : (JSON.parse(raw) as string);
  };
  const isCreate = record.action === 'create';
  return {
    name: record.eventName,
    data: rawMember(payload, 'data'),
    ...dataMarksOf(payload),
    extras: rawMember(payload, 'extras'),
    userId: text('user_id'),
    clientId: record.actorClientId,
    description: isCreate ? null : text('description'),
    metadata: isCreate ? null : rawMember(payload, 'metadata'),
  };
}

export const quoted = (value: string | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** The text of an object, without the members that are null. */
export function objectText(members: readonly (readonly [name: string, text: string | null])[]): string {
  const given = members.filter(([, text]) => text !== null);
  return `{${given.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
