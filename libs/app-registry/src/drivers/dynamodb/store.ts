import { randomUUID } from 'node:crypto';
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { awsFailureText, type AwsPlace } from '@carillon/aws';
import type { AppRecord } from '@carillon/config';
import { AppChanged, AppConflict, AppNotFound, AppNotStorable, AppStoreUnavailable } from '../../failures.js';
import type { AppPage, AppPageRequest, AppStore, RevisedApp, StoredApp } from '../../port.js';
import { isWellFormed } from '../stored-form.js';
import { appOf, type Item, itemOf, revisionOf } from './item.js';
import type { Sdk } from './sdk.js';
import { describeTable, ensureTable, KEY_INDEX } from './table.js';

/** Longest value of a hash key. */
const MAX_KEY_BYTES = 2048;
/** Writes that meet others at the same items are tried again, so often. */
const MAX_TRIES = 10;

/** Keeps a key taken: an item beside the apps, which no id can have and no index shows. */
const guardId = (key: string): string => `key#${key}`;

/** Client and table of a store. */
interface DynamoParts {
  readonly sdk: Sdk;
  readonly client: DynamoDBClient;
  readonly place: AwsPlace;
  readonly table: string;
}

/**
 * Driver `dynamodb`: one item per app, and one guard item that reserves its key, written in one transaction. The
 * index is eventually consistent. A key is therefore looked up by its guard, and in the index only if there is no
 * guard: another program may have written the app.
 */
export class DynamoAppStore implements AppStore {
  readonly local = false;

  private readonly sdk: Sdk;
  private readonly client: DynamoDBClient;
  private readonly table: string;
  private readonly place: AwsPlace;

  constructor({ sdk, client, place, table }: DynamoParts) {
    this.sdk = sdk;
    this.client = client;
    this.place = place;
    this.table = table;
  }

  async init(): Promise<void> {
    await this.#available(ensureTable(this.sdk, this.client, this.table));
  }

  async create(record: AppRecord): Promise<void> {
    const item = itemOf(record, Date.now());
    await this.#write(record, async () => {
      if ((await this.findById(record.id)) !== null) throw new AppConflict(record.id, 'id');
      return [
        {
          Put: { TableName: this.table, Item: item, ConditionExpression: 'attribute_not_exists(id)' },
        },
        await this.#take(record),
      ];
    });
  }

  async update(record: AppRecord, ifRevision?: string): Promise<void> {
    const item = itemOf(record, Date.now());
    await this.#write(record, async () => {
      const stored = await this.#get(record.id);
      const before = stored?.['key']?.S;
      if (stored === undefined || before === undefined) throw new AppNotFound(record.id);
      if (ifRevision !== undefined && ifRevision !== revisionOf(stored)) throw new AppChanged(record.id);
      const seen = ifRevision === undefined ? keyIs(before) : isUnchanged(stored, before);
      const put = { TableName: this.table, Item: item, ...seen };
      const steps = [{ Put: put }, await this.#take(record)];
      return before === record.key ? steps : [...steps, this.#free(before)];
    });
  }

  async delete(id: string): Promise<boolean> {
    return this.#available(
      this.#again(async () => {
        const before = (await this.#get(id))?.['key']?.S;
        if (before === undefined) return false;
        const remove = { TableName: this.table, Key: { id: { S: id } }, ...keyIs(before) };
        await this.#transact([{ Delete: remove }, this.#free(before)]);
        return true;
      }),
    );
  }

  async list({ limit, cursor }: AppPageRequest): Promise<AppPage> {
    const apps: StoredApp[] = [];
    let next = cursor;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#available(
        this.client.send(
          new this.sdk.ScanCommand({
            TableName: this.table,
            ConsistentRead: true,
            Limit: limit - apps.length,
            ...(next === null ? {} : { ExclusiveStartKey: { id: { S: next } } }),
          }),
        ),
      );
      apps.push(...Items.flatMap((item) => appOf(item) ?? []));
      next = LastEvaluatedKey?.['id']?.S ?? null;
    } while (apps.length < limit && next !== null);
    return { apps, next };
  }

  async read(id: string): Promise<RevisedApp | null> {
    const item = await this.#available(this.#get(id));
    const stored = appOf(item);
    return item === undefined || stored === null ? null : { stored, revision: revisionOf(item) };
  }

  async findById(id: string): Promise<StoredApp | null> {
    return appOf(await this.#available(this.#get(id)));
  }

  async findByKey(key: string): Promise<StoredApp | null> {
    if (key === '' || !isAskable(guardId(key))) return null;
    return this.#available(this.#find(key));
  }

  async health(): Promise<void> {
    const found = await this.#available(describeTable(this.sdk, this.client, this.table));
    if (found === null) throw new AppStoreUnavailable(`the table ${this.table} is gone`);
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  async #find(key: string): Promise<StoredApp | null> {
    return this.#holder(key, await this.#get(guardId(key)));
  }

  async #holder(key: string, guard: Item | undefined): Promise<StoredApp | null> {
    const id = guard?.['app_id']?.S;
    const item = id === undefined ? undefined : await this.#get(id);
    return appOf(item?.['key']?.S === key ? item : await this.#indexed(key));
  }

  async #indexed(key: string): Promise<Item | undefined> {
    const query = new this.sdk.QueryCommand({
      TableName: this.table,
      IndexName: KEY_INDEX,
      KeyConditionExpression: '#key = :key',
      ExpressionAttributeNames: { '#key': 'key' },
      ExpressionAttributeValues: { ':key': { S: key } },
      Limit: 1,
    });
    const id = (await this.client.send(query)).Items?.[0]?.['id']?.S;
    const item = id === undefined ? undefined : await this.#get(id);
    return item?.['key']?.S === key ? item : undefined;
  }

  async #get(id: string): Promise<Item | undefined> {
    if (!isAskable(id)) return undefined;
    const get = { TableName: this.table, Key: { id: { S: id } }, ConsistentRead: true };
    return (await this.client.send(new this.sdk.GetItemCommand(get))).Item;
  }

  /**
   * Reserves the key for the app. A guard whose app was deleted or has another key is replaced, unless it was
   * rewritten since it was read.
   */
  async #take({ id, key }: AppRecord): Promise<TransactWriteItem> {
    const guard = await this.#get(guardId(key));
    const holder = await this.#holder(key, guard);
    if (holder !== null && holder.id !== id) throw new AppConflict(id, 'key');
    const item = { id: { S: guardId(key) }, app_id: { S: id }, written: { S: randomUUID() } };
    const seen = guard?.['written'];
    const condition =
      seen === undefined
        ? { ConditionExpression: 'attribute_not_exists(id)' }
        : { ConditionExpression: 'written = :seen', ExpressionAttributeValues: { ':seen': seen } };
    return { Put: { TableName: this.table, Item: item, ...condition } };
  }

  #free(key: string): TransactWriteItem {
    return { Delete: { TableName: this.table, Key: { id: { S: guardId(key) } } } };
  }

  async #write({ id }: AppRecord, steps: () => Promise<TransactWriteItem[]>): Promise<void> {
    try {
      await this.#again(async () => this.#transact(await steps()));
    } catch (thrown) {
      if (NAMED.some((failure) => thrown instanceof failure)) throw thrown;
      if (nameOf(thrown) === 'ValidationException') throw new AppNotStorable(id, 'the table refuses it');
      throw this.#unavailable(thrown);
    }
  }

  async #transact(steps: TransactWriteItem[]): Promise<void> {
    await this.client.send(new this.sdk.TransactWriteItemsCommand({ TransactItems: steps }));
  }

  async #available<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (thrown) {
      throw this.#unavailable(thrown);
    }
  }

  #unavailable(thrown: unknown): AppStoreUnavailable {
    if (thrown instanceof AppStoreUnavailable) return thrown;
    return new AppStoreUnavailable(`app store: ${awsFailureText(thrown, this.place)}`, { cause: thrown });
  }

  /** Repeats a read and conditional write until the condition holds. */
  async #again<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (thrown) {
        if (nameOf(thrown) !== 'TransactionCanceledException' || tries === MAX_TRIES) throw thrown;
      }
    }
  }
}

const NAMED = [AppChanged, AppConflict, AppNotFound];

const keyIs = (key: string) => ({
  ConditionExpression: '#key = :key',
  ExpressionAttributeNames: { '#key': 'key' },
  ExpressionAttributeValues: { ':key': { S: key } },
});

const is = (name: string, value: unknown): string =>
  value === undefined ? `attribute_not_exists(${name})` : `${name} = :${name}`;

/** Holds while the item is as it was read; every write of this service changes the policy or `updated_at`. */
function isUnchanged(item: Item, key: string) {
  const { policy, updated_at: updatedAt } = item;
  return {
    ConditionExpression: `#key = :key AND ${is('policy', policy)} AND ${is('updated_at', updatedAt)}`,
    ExpressionAttributeNames: { '#key': 'key' },
    ExpressionAttributeValues: {
      ':key': { S: key },
      ...(policy === undefined ? {} : { ':policy': policy }),
      ...(updatedAt === undefined ? {} : { ':updated_at': updatedAt }),
    },
  };
}

/** Returns false for strings that cannot be the id of an item. */
const isAskable = (id: string): boolean =>
  id !== '' && isWellFormed(id) && Buffer.byteLength(id) <= MAX_KEY_BYTES;

const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : '');
