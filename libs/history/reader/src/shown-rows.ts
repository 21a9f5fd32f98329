import type { DurableStore, PageQuery, StoredMessage, StoredRecord, Stream } from '@carillon/history-store';

/** What a row of a message is shown as: its latest version, what was stored as that is over, or what never lived on. */
export type ShownAs = 'applied' | 'missing_latest' | 'not_versioned';

/** A row with what is shown of it; null: it cannot be; undefined: it only tells that there is more. */
export interface Row<Item> {
  readonly record: StoredRecord;
  readonly item: Item | null | undefined;
}

/** What is shown of a record; null: it cannot be. */
export type Show<Item> = (
  stream: Stream,
  record: StoredRecord,
  latest: StoredMessage | undefined,
) => Item | Promise<Item | null> | null;

/** Messages whose latest version is looked up at one time. */
const AT_ONCE = 8;

/** Reads rows of a history with what is shown of each. */
export class ShownRows {
  constructor(
    private readonly store: Pick<DurableStore, 'messages' | 'page'>,
    /** Whether messages that live on are shown as they are now. */
    private readonly showsLatest: boolean,
    /** Told of each row that is shown where messages may live on. Must not throw. */
    private readonly onShown: ((appId: string, as: ShownAs) => void) | undefined,
  ) {}

  /** The last of as many as are asked for only tells that there is more. */
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

  /** Messages that live on, by their serials; of one that is over already the row is shown as it was stored. */
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
