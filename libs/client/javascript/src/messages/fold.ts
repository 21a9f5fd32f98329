import type { Extras } from '../format/frame.js';
import { parsed, type Message } from '../channel/message.js';

/** A message as it is now. */
export interface LiveMessage {
  /** The serial of a mutable message; otherwise its id. */
  readonly serial: string;
  /** The event it was published as. */
  readonly name: string;
  /** Parsed where it is JSON in a text. */
  readonly data: unknown;
  /** The data as received; text for a streaming message. */
  readonly raw: unknown;
  readonly userId: string | null;
  readonly extras: Extras;
  readonly isDeleted: boolean;
  /** Null: it cannot be changed. */
  readonly version: string | null;
  /** The latest position in the channel that it is known to be at; null: none is known. */
  readonly reached: number | null;
  /** The position in the message order. */
  readonly position: number;
  /** The annotation summaries by annotation type. */
  readonly summary: Readonly<Record<string, unknown>>;
}

/** `stale`: older than the known version. `baseless`: appends to an unknown version. */
export type Folded = LiveMessage | 'stale' | 'baseless';

/** Applies a version to a message. Versions may be duplicated or out of order. */
export function fold(known: LiveMessage | undefined, message: Message): Folded {
  const { change } = message;
  if (change === null) return known === undefined ? whole(message, undefined) : 'stale';
  const version = known?.version ?? null;
  if (version !== null && version >= change.version) return 'stale';
  if (change.isWhole) return whole(message, known);
  if (known === undefined) return 'baseless';
  const piece = textOf(message.raw);
  if (change.fromSerial !== null && known.reached !== null && change.fromSerial <= known.reached) {
    // Some of the fragments are already applied: the service then sends the whole message.
    return piece.startsWith(textOf(known.raw)) ? whole(message, known) : 'baseless';
  }
  const raw = textOf(known.raw) + piece;
  const reached = message.serial ?? known.reached;
  return { ...known, raw, data: parsed(raw), extras: message.extras, version: change.version, reached };
}

const textOf = (raw: unknown): string => (typeof raw === 'string' ? raw : '');

function whole(message: Message, known: LiveMessage | undefined): LiveMessage {
  const { change, id = '', serial = 0 } = message;
  return {
    serial: change?.serial ?? id,
    name: message.name ?? known?.name ?? message.event,
    data: message.data,
    raw: message.raw,
    userId: message.userId ?? null,
    extras: message.extras,
    isDeleted: change?.action === 'delete',
    version: change?.version ?? null,
    position: change?.historySerial ?? serial,
    reached: message.serial ?? known?.reached ?? null,
    summary: known?.summary ?? {},
  };
}
