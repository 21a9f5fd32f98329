/** What ordering has to know of a record; delivery serials and annotation numbers go by the same rules. */
export interface OrderedRecord {
  readonly streamId: string;
  readonly serial: number;
  /** Null: it has none that could be compared. */
  readonly messageId: string | null;
}

/** Where a stream stands, as the store or the sequencer says. */
export interface Head {
  readonly streamId: string;
  /** The highest serial; 0: there is no record. */
  readonly serial: number;
}

/** What the holder of the order is to do next, one after another. */
export type Step<Item extends OrderedRecord> =
  | { readonly do: 'deliver'; readonly record: Item }
  /** Read these of the current stream and hand them to `received`; both inclusive. */
  | { readonly do: 'fetch'; readonly fromSerial: number; readonly toSerial: number }
  /** Read the head and hand it to `checked`. */
  | { readonly do: 'read_head' }
  /** A gap stays: clients that count serials are told, and delivery goes on behind it. */
  | { readonly do: 'give_up'; readonly fromSerial: number; readonly toSerial: number }
  /** The store holds less, or something else, than was delivered. */
  | { readonly do: 'regressed'; readonly streamId: string; readonly seenSerial: number };
