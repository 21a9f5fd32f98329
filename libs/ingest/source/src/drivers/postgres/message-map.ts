import type { MessageMap } from '../../port.js';

const CACHED = 10_000;

export interface MessageRow {
  readonly app: string;
  readonly channel: string;
  readonly message_id: string;
  readonly message_serial: string;
}

type LookUp = (app: string, channel: string, messageId: string) => Promise<string | null>;

/** Serials by `message_id`: the last ones in memory, all others in `outbox_messages`. */
export class PostgresMessageMap implements MessageMap {
  readonly #cached = new Map<string, string>();
  #unstored: MessageRow[] = [];
  /** Set by the reader for each session. */
  lookUp: LookUp = async () => null;

  async serialOf(app: string, channel: string, messageId: string): Promise<string | null> {
    return this.#cached.get(keyOf(app, channel, messageId)) ?? this.lookUp(app, channel, messageId);
  }

  remember(app: string, channel: string, messageId: string, serial: string): void {
    const key = keyOf(app, channel, messageId);
    this.#cached.delete(key);
    this.#cached.set(key, serial);
    this.#unstored.push({ app, channel, message_id: messageId, message_serial: serial });
    const [oldest] = this.#cached.keys();
    // What is not stored yet belongs to events in flight, which are fewer than the bound.
    if (this.#cached.size > CACHED && oldest !== undefined) this.#cached.delete(oldest);
  }

  /** Rows to store, each message once. */
  takeUnstored(): readonly MessageRow[] {
    const rows = new Map(this.#unstored.map((row) => [keyOf(row.app, row.channel, row.message_id), row]));
    this.#unstored = [];
    return [...rows.values()];
  }
}

const keyOf = (app: string, channel: string, messageId: string): string =>
  `${app}\u001f${channel}\u001f${messageId}`;
