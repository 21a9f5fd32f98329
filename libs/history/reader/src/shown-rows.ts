import type { DurableStore, PageQuery, StoredMessage, StoredRecord, Stream } from '@carillon/history-store';

/**
 * Form in which a row is shown: the latest version, the stored row because the message has expired, or an immutable
 * message.
 */
export type ShownAs = 'applied' | 'missing_latest' | 'not_versioned';

/** A row and its shown form; null: unreadable; undefined: it only proves that more rows exist. */
export interface Row<Item> {
  readonly record: StoredRecord;
  readonly item: Item | null | undefined;
}

/** Returns the shown form of a record; null if unreadable. */
export type Show<Item> = (
  stream: Stream,
  record: StoredRecord,
  latest: StoredMessage | undefined,
) => Item | Promise<Item | null> | null;

/** Messages whose latest version is looked up at one time. */
const AT_ONCE = 8;

/** Reads rows of a history with their shown forms. */
export class ShownRows {
  constructor(
    private readonly store: Pick<DurableStore, 'messages' | 'page'>,
    /** Whether mutable messages are shown in their latest version. */
    private readonly showsLatest: boolean,
    /** Called for each row shown in a channel with mutable messages. Must not throw. */
    private readonly onShown: ((appId: string, as: ShownAs) => void) | undefined,
  ) {}

  /** The last requested row only proves that more exist. */
  async read<Item>(asked: PageQuery, show: Show<Item>): Promise<readonly Row<Item>[]> {
    const { stream, limit } = asked;
    const records = await this.store.page(asked);
    const latest = await this.#latest(asked, records);
    const rows: Row<Item>[] = [];
    for (let from = 0; from < records.length; from += AT_ONCE) {
      const some = records.slice(from, from + AT_ONCE).map(async (record, index): Promise<Row<Item>> => {
        if (from + index >= limit - 1) return { record, item: undefined };
        const version = latest.get(record.messageSerial ?? '');
        this.#tellShown(stream, record, version);
        return { record, item: await show(stream, record, version) };
      });
      rows.push(...(await Promise.all(some)));
    }
    return rows;
  }

  /** Returns mutable messages by serial; expired ones are shown as their stored row. */
  async #latest(
    { stream, nowMs }: PageQuery,
    records: readonly StoredRecord[],
  ): Promise<ReadonlyMap<string, StoredMessage>> {
    if (!this.showsLatest) return new Map();
    const messageSerials = records.flatMap(({ messageSerial }) => messageSerial ?? []);
    if (messageSerials.length === 0) return new Map();
    const { streamKey, generation, floorMessageSerial } = stream;
    const query = { streamKey, generation, floorMessageSerial, nowMs, messageSerials };
    const messages = await this.store.messages(query);
    return new Map(messages.map((message) => [message.messageSerial, message]));
  }

  #tellShown({ address }: Stream, { messageSerial }: StoredRecord, latest: StoredMessage | undefined): void {
    if (!this.showsLatest) return;
    const stored = messageSerial === null ? 'not_versioned' : 'missing_latest';
    this.onShown?.(address.appId, latest === undefined ? stored : 'applied');
  }
}
