import { isObject, type JsonObject } from '../json.js';
import { actionNumber } from './actions.js';
import {
  aboutVersion,
  fromNative,
  isReserved,
  shownOf,
  type WireMessage,
  type WireVersion,
} from './native.js';

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const dataText = ({ data }: JsonObject): string | null => (data === undefined ? null : JSON.stringify(data));
const marksOf = ({ data_kind: kind }: JsonObject) => ({
  isBytes: kind === 'bytes',
  isJsonText: kind === 'json',
});

/** A message as readers of the service are given it, latest or one version; null: it is nothing for these clients. */
export function fromItem(item: unknown, id: string | null, atMs: number): WireMessage | null {
  if (!isObject(item)) return null;
  const marks = marksOf(item);
  const { event, message_serial: serial, message_id: messageId, extras } = item;
  if (typeof serial !== 'string')
    return fromNative(
      {
        event: textOf(event) ?? '',
        name: null,
        messageId: textOf(messageId) ?? id ?? '',
        userId: textOf(item['user_id']),
        dataText: dataText(item),
        ...(marks.isBytes ? { isBytes: true as const } : {}),
        ...(marks.isJsonText ? { isJsonText: true as const } : {}),
        extrasText: isObject(extras) ? JSON.stringify(extras) : null,
      },
      atMs,
    );
  const name = textOf(item['name']);
  if (isReserved(name)) return null;
  return shownOf(
    {
      name,
      action: actionNumber(textOf(item['action']) ?? ''),
      dataText: dataText(item),
      ...marks,
      extras: isObject(extras) ? extras : {},
      id,
      userId: textOf(item['user_id']),
      serial,
      version: versionOf(item['version'], atMs),
    },
    atMs,
  );
}

/** Converts an item to its latest version, in which an append becomes an update. */
export function fromLatest(item: unknown, id: string | null, atMs: number): WireMessage | null {
  if (isObject(item) && item['action'] === 'append') return fromItem({ ...item, action: 'update' }, id, atMs);
  return fromItem(item, id, atMs);
}

function versionOf(version: unknown, atMs: number): WireVersion | null {
  if (!isObject(version) || typeof version['serial'] !== 'string') return null;
  const { serial, timestamp_ms: timestamp } = version;
  return { serial, timestamp: typeof timestamp === 'number' ? timestamp : atMs, ...aboutVersion(version) };
}
