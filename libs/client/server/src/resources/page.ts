/** One page of a list. Iterating goes through this page and all that follow. */
export interface Page<Item> extends AsyncIterable<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Resolves with null if this is the last page. */
  next(): Promise<Page<Item> | null>;
}

/** Answer of a list route, renamed. */
export interface ListAnswer<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor?: string | null;
}

/** Reads the page at a cursor; undefined: the first. */
export type ReadPage<Item> = (cursor: string | undefined) => Promise<ListAnswer<Item>>;

export async function firstPage<Item>(read: ReadPage<Item>): Promise<Page<Item>> {
  return pageOf(await read(undefined), read);
}

function pageOf<Item>({ items, hasMore, nextCursor }: ListAnswer<Item>, read: ReadPage<Item>): Page<Item> {
  const next = async (): Promise<Page<Item> | null> =>
    hasMore && typeof nextCursor === 'string' ? pageOf(await read(nextCursor), read) : null;
  return {
    items,
    hasMore,
    next,
    async *[Symbol.asyncIterator]() {
      yield* items;
      for (let page = await next(); page !== null; page = await page.next()) yield* page.items;
    },
  };
}
