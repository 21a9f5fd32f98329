import type { AppRecord, Problem } from '@carillon/config';

/**
 * Storage of app records. Every driver guarantees:
 *
 * - `id` and `key` are unique, enforced by the store itself, including concurrent writes by several processes.
 * - Ids and keys compare byte by byte, case included.
 * - A write is atomic; after it is acknowledged every later read of any process sees it.
 * - A record is read back as it was written, including unknown members.
 * - One record that cannot be read is a `BrokenApp`; it never makes another read fail.
 * - A store that cannot answer rejects with `AppStoreUnavailable`; it never answers "not found" instead.
 *
 * Callers apply a timeout to every call; a driver need not.
 */
export interface AppStore {
  /** Only this process changes it and only through the registry, so an index over it never ages. */
  readonly local: boolean;

  /** Connects and creates or upgrades tables. May be called again after it failed; two nodes racing is no error. */
  init(): Promise<void>;

  /**
   * Rejects with `AppConflict` when the id or the key is taken, with `AppNotStorable` when it does not fit the store.
   */
  create(record: AppRecord): Promise<void>;

  /**
   * Replaces the record of that id. Rejects with `AppNotFound`, with `AppConflict` when the key is another app's, or
   * with `AppNotStorable` as `create` does. With `ifRevision` it compares and sets atomically: it rejects with
   * `AppChanged` if the stored record has another revision than `read` returned.
   */
  update(record: AppRecord, ifRevision?: string): Promise<void>;

  /** Returns the record with its revision, which changes with every write of this service; null without an app. */
  read(id: string): Promise<RevisedApp | null>;

  /** False when there was no such app. */
  delete(id: string): Promise<boolean>;

  /** At most `limit` (> 0) apps in a stable order; no app that exists throughout is missed or listed twice. */
  list(page: AppPageRequest): Promise<AppPage>;

  findById(id: string): Promise<StoredApp | null>;

  findByKey(key: string): Promise<StoredApp | null>;

  /**
   * Returns the apps written since a mark of this store, by any program; without a mark none, only the current mark. It may
   * include apps written shortly before the mark. Deleted apps are not reported. Absent if the store does not support it.
   */
  changedSince?(mark: string | null, limit: number): Promise<AppChangePage>;

  /** Rejects when the store cannot serve reads. */
  health(): Promise<void>;

  /** Releases connections; idempotent. No call may follow. */
  close(): Promise<void>;
}

/** The stored content under an id. */
export type StoredApp = AppRecord | BrokenApp;

/** A stored app and its revision: opaque, derived from nothing secret. */
export interface RevisedApp {
  readonly stored: StoredApp;
  readonly revision: string;
}

/** A record that this version cannot read. The app is treated as not found; other apps are not affected. */
export class BrokenApp {
  constructor(
    readonly id: string,
    readonly problems: readonly Problem[],
  ) {}
}

export interface AppPageRequest {
  readonly limit: number;
  /** `next` of the previous page; null starts at the beginning. */
  readonly cursor: string | null;
}

export interface AppPage {
  readonly apps: readonly StoredApp[];
  /** Null after the last page. */
  readonly next: string | null;
}

export interface AppChangePage {
  readonly appIds: readonly string[];
  /** Pass it to the next call to get later changes. */
  readonly mark: string;
}
