import type { AppRecord } from '@carillon/config';
import { MemoryAppStore } from '../src/drivers/memory.js';
import {
  AppStoreUnavailable,
  BrokenApp,
  type AppChangePage,
  type AppPage,
  type AppPageRequest,
  type AppStore,
  type RevisedApp,
  type StoredApp,
} from '../src/index.js';

/** A store with other writers, failures and a count of reads. */
export class RemoteStore implements AppStore {
  readonly local = false;
  readonly rows = new MemoryAppStore();
  readonly brokenIds = new Set<string>();
  /** Ids written behind the registry's back, as `changedSince` will report them. */
  readonly written: string[] = [];
  failing = false;
  reads = 0;
  /** Runs between asking and answering. */
  pause: () => Promise<void> = async () => {};

  async #answer<T>(work: () => Promise<T>): Promise<T> {
    if (this.failing) throw new AppStoreUnavailable('down');
    const answer = await work();
    await this.pause();
    return answer;
  }

  init(): Promise<void> {
    return this.#answer(() => this.rows.init());
  }

  create(record: AppRecord): Promise<void> {
    return this.#answer(() => this.rows.create(record));
  }

  update(record: AppRecord, ifRevision?: string): Promise<void> {
    return this.#answer(() => this.rows.update(record, ifRevision));
  }

  read(id: string): Promise<RevisedApp | null> {
    return this.#answer(() => this.rows.read(id));
  }

  delete(id: string): Promise<boolean> {
    return this.#answer(() => this.rows.delete(id));
  }

  async list(request: AppPageRequest): Promise<AppPage> {
    const page = await this.#answer(() => this.rows.list(request));
    return { ...page, apps: page.apps.map((app) => this.#read(app)) };
  }

  async findById(id: string): Promise<StoredApp | null> {
    this.reads++;
    const found = await this.#answer(() => this.rows.findById(id));
    return found === null ? null : this.#read(found);
  }

  async findByKey(key: string): Promise<StoredApp | null> {
    this.reads++;
    const found = await this.#answer(() => this.rows.findByKey(key));
    return found === null ? null : this.#read(found);
  }

  changedSince(mark: string | null, limit: number): Promise<AppChangePage> {
    return this.#answer(async () => {
      const from = mark === null ? this.written.length : Number(mark);
      const appIds = this.written.slice(from, from + limit);
      return { appIds, mark: String(from + appIds.length) };
    });
  }

  health(): Promise<void> {
    return this.#answer(() => this.rows.health());
  }

  async close(): Promise<void> {}

  #read(app: StoredApp): StoredApp {
    return this.brokenIds.has(app.id) ? new BrokenApp(app.id, [{ path: 'key', message: 'is broken' }]) : app;
  }
}
