import { isOver, streamStatus } from '@carillon/history-ai';
import type { CommitRecordOf } from '@carillon/contracts';
import type { HttpErrorCode } from '@carillon/errors';
import type { DataKind, MessageData, StoredMessage } from '@carillon/history-store';
import { mayChange } from './authorize.js';

/** A change of a message, as it is committed. */
export type Mutation = CommitRecordOf<'append'> | CommitRecordOf<'delete'> | CommitRecordOf<'update'>;

/** Why a change is not made. */
export interface Refusal {
  readonly code: HttpErrorCode;
  readonly text: string;
  readonly aiCode?: number;
}

/** Position of the new version. */
export interface VersionPlace {
  readonly versionSerial: string;
  readonly deliverySerial: number;
  readonly atMs: number;
  readonly keepUntilMs: number;
}

export type Mutated =
  | { readonly ok: true; readonly message: StoredMessage }
  | { readonly ok: false; readonly refusal: Refusal };

/** Size limit of message data without AI transport, whose settings have their own. */
const MAX_DATA_BYTES = 1_048_576;
const TOO_MUCH = 40_009;

const refused = (code: HttpErrorCode, text: string, aiCode?: number): Mutated => ({
  ok: false,
  refusal: { code, text, ...(aiCode === undefined ? {} : { aiCode }) },
});

/** Number of open streams of the channel, this message included. */
type OpenStreams = number;

/**
 * Returns the changed message, or the rejection. Pure. The previous data is read only if the new version shows it, so
 * that an append costs only its fragment.
 */
export function mutate(
  message: StoredMessage,
  mutation: Mutation,
  place: VersionPlace,
  openStreams: OpenStreams,
): Mutated {
  if (!mayChange(mutation.actor, message.creatorId))
    return refused('mutable_not_permitted', 'the actor may not change this message');
  const next = mutation.op === 'append' ? appended(message, mutation) : replaced(message, mutation);
  if (next === null) return refused('invalid_input', 'data that is not a string cannot be appended to');
  const { ai } = mutation.policy;
  if (mutation.op === 'append' && ai !== null) {
    if (isOver(streamStatus(message.extras))) return refused('invalid_input', 'the stream has ended');
    if (next.appends > ai.max_appends_per_message)
      return refused('payload_too_large', 'the message has too many appends', TOO_MUCH);
  }
  const wrong = checkSize(next, mutation, openStreams - Number(message.isOpen));
  if (wrong !== null) return wrong;
  const { versionSerial, deliverySerial, atMs, keepUntilMs } = place;
  return {
    ok: true,
    message: {
      ...next,
      versionSerial,
      deliverySerial,
      atMs,
      keepUntilMs,
      action: mutation.op,
      baseSerial: next.data === null ? next.baseSerial : deliverySerial,
      baseVersionSerial: next.data === null ? next.baseVersionSerial : versionSerial,
      isOpen: isOpenStream(mutation.policy.ai !== null, next.extras),
      clientId: attributed(mutation),
      description: mutation.description ?? null,
      metadata: mutation.metadata ?? null,
    },
  };
}

/** Whether a message with these extras is open for appends. */
export const isOpenStream = (isAi: boolean, extrasText: string | null): boolean =>
  isAi && streamStatus(extrasText) === 'streaming';

/** Returns the limit that a create or change would exceed; null: none. `others` is the number of other open streams. */
export function checkSize(
  next: Pick<StoredMessage, 'dataBytes' | 'extras'>,
  { policy: { ai } }: Pick<Mutation, 'policy'>,
  others: OpenStreams,
): { readonly ok: false; readonly refusal: Refusal } | null {
  const limit = ai?.max_accumulated_message_bytes ?? MAX_DATA_BYTES;
  const aiCode = ai === null ? {} : { aiCode: TOO_MUCH };
  const refuse = (text: string) => ({
    ok: false as const,
    refusal: { code: 'payload_too_large' as const, text, ...aiCode },
  });
  if (next.dataBytes > limit) return refuse('the message would have too much data');
  if (ai !== null && isOpenStream(true, next.extras) && others >= ai.max_open_streaming_messages)
    return refuse('the channel has too many open streams');
  return null;
}

/** With rights on own messages only, a version is attributed to the actor regardless of the request. */
function attributed({ actor, client_id: clientId }: Mutation): string | null {
  return (actor.grant === 'own' ? actor.client_id : (clientId ?? actor.client_id)) ?? null;
}

/** Null: there is nothing that a string could follow. */
function appended(message: StoredMessage, { data, extras }: CommitRecordOf<'append'>): StoredMessage | null {
  if (message.dataKind === 'json' || message.dataKind === 'bytes') return null;
  const before = message.data;
  return {
    ...withoutMark(message),
    data: before === null ? null : grown(before, data),
    dataKind: 'string',
    dataBytes: message.dataBytes + Buffer.byteLength(data),
    appends: message.appends + 1,
    extras: extras ?? message.extras,
  };
}

/** Data made by `grown`, without its closing quote. */
const openTexts = new WeakMap<MessageData, string>();

/**
 * A JSON string with more text at its end. Takes time for the added text only, however long the string is: the engine
 * concatenates lazily, and the whole is put together when it is read.
 */
function grown(before: MessageData, more: string): MessageData {
  const begun = openTexts.get(before) ?? before.text?.slice(0, -1) ?? '"';
  const open = `${begun}${JSON.stringify(more).slice(1, -1)}`;
  let text: string | null = null;
  const data = {
    get text() {
      return (text ??= `${open}"`);
    },
  };
  openTexts.set(data, open);
  return data;
}

/** Each field is kept, cleared, or replaced whole. */
function replaced(
  message: StoredMessage,
  mutation: CommitRecordOf<'delete'> | CommitRecordOf<'update'>,
): StoredMessage {
  const cleared = new Set(mutation.clear_fields ?? []);
  const data: MessageData | null =
    mutation.data === undefined
      ? cleared.has('data')
        ? { text: null }
        : message.data
      : { text: mutation.data };
  const changesData = mutation.data !== undefined || cleared.has('data');
  return {
    ...(changesData ? withoutMark(message) : message),
    name: mutation.name ?? (cleared.has('name') ? null : message.name),
    extras: mutation.extras ?? (cleared.has('extras') ? null : message.extras),
    data,
    ...(changesData && data !== null ? measured(data.text) : {}),
  };
}

/** A message whose data is about to change: the JSON mark applies to data as published. */
function withoutMark({ isJsonText: _mark, ...message }: StoredMessage): StoredMessage {
  return message;
}

/** Type and counted size of JSON text. Bytes are a list of numbers. */
export function measured(
  text: string | null,
  isBytes = false,
): { readonly dataKind: DataKind; readonly dataBytes: number } {
  if (text === null) return { dataKind: 'none', dataBytes: 0 };
  const value: unknown = JSON.parse(text);
  if (isBytes && Array.isArray(value)) return { dataKind: 'bytes', dataBytes: value.length };
  if (typeof value === 'string') return { dataKind: 'string', dataBytes: Buffer.byteLength(value) };
  return { dataKind: 'json', dataBytes: Buffer.byteLength(text) };
}
