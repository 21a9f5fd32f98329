/** An app as the management API shows it. */
export interface AppItem {
  readonly id: string;
  readonly key: string;
  readonly enabled: boolean;
  readonly policy: Readonly<Record<string, unknown>>;
  readonly origin?: string;
  readonly previous_secret_expires_at_ms?: number | null;
  readonly created_at_ms?: number | null;
  readonly updated_at_ms?: number | null;
  readonly secret?: string | null;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

/** A page of apps, as the management API answers. */
export interface AppList {
  readonly items: readonly AppItem[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** Members that a change sets; null removes a member. */
export type AppChanges = Readonly<Record<string, unknown>>;

/** Where `apps` commands work: the management API, or the store of the configuration. */
export interface AppPort {
  list(cursor: string | null): Promise<AppList>;
  show(id: string): Promise<AppItem>;
  create(members: AppChanges): Promise<AppItem>;
  update(id: string, changes: AppChanges): Promise<AppItem>;
  setEnabled(id: string, enabled: boolean): Promise<AppItem>;
  delete(id: string): Promise<void>;
  /** `graceMs`: how long the previous secret stays valid; undefined: as configured. */
  rotateSecret(id: string, graceMs: number | undefined): Promise<object>;
  close(): Promise<void>;
}
