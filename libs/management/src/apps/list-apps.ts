import { type AppPage, BrokenApp } from '@carillon/app-registry';
import type { AppRecord } from '@carillon/config';
import type { Call } from '../http/call.js';
import { Cursors, pageBody, type PageQuery } from '../http/paging.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { propagationMs } from './propagation.js';
import { itemOf, storeErrors } from './stored-app.js';

export interface AppFilter {
  readonly prefix?: string;
  readonly enabled?: boolean;
}

const STORE_PAGE = 500;
/** Store pages read for one answer; beyond, the page is shorter and goes on from its cursor. */
const MAX_STORE_PAGES = 20;

interface Found {
  readonly records: readonly AppRecord[];
  /** Id of the last app that was looked at; null: all were. */
  readonly next: string | null;
}

export async function listApps(
  { query, principal }: Call<AppFilter & PageQuery>,
  parts: ManagementParts,
): Promise<Reply> {
  const cursors = new Cursors('apps', { ...query, apps: principal.apps === null ? null : principal.name });
  const after = cursors.readText(query.cursor);
  const found =
    principal.apps === null
      ? await scan(query, after, parts)
      : await readEach([...principal.apps].sort(), query, after, parts);
  const { app_manager: manager } = parts.config;
  return ok({
    ...pageBody(
      found.records.map((record) => itemOf(record, parts)),
      found.next,
      cursors,
    ),
    store: manager.driver,
    writable: !parts.apps.isLocal,
    propagation_ms: propagationMs(parts.config),
  });
}

const isWanted = (record: AppRecord, { prefix = '', enabled }: AppFilter): boolean =>
  record.id.startsWith(prefix) && (enabled === undefined || record.enabled === enabled);

async function scan(
  query: AppFilter & PageQuery,
  after: string | null,
  { apps }: ManagementParts,
): Promise<Found> {
  const records: AppRecord[] = [];
  let cursor = after;
  for (let pages = 0; pages < MAX_STORE_PAGES; pages++) {
    const page: AppPage = await storeErrors(apps.list({ limit: STORE_PAGE, cursor }));
    for (const [index, stored] of page.apps.entries()) {
      if (stored instanceof BrokenApp || !isWanted(stored, query)) continue;
      records.push(stored);
      if (records.length < query.limit) continue;
      const isLast = index === page.apps.length - 1 && page.next === null;
      return { records, next: isLast ? null : stored.id };
    }
    if (page.next === null) return { records, next: null };
    cursor = page.next;
  }
  return { records, next: cursor };
}

/** The apps of a restricted token, which are few. */
async function readEach(
  ids: readonly string[],
  query: AppFilter & PageQuery,
  after: string | null,
  { apps }: ManagementParts,
): Promise<Found> {
  const left = ids.filter((id) => after === null || id > after);
  const records: AppRecord[] = [];
  for (const [index, id] of left.entries()) {
    const stored = (await storeErrors(apps.read(id)))?.stored;
    if (stored === undefined || stored instanceof BrokenApp || !isWanted(stored, query)) continue;
    records.push(stored);
    if (records.length === query.limit) return { records, next: index === left.length - 1 ? null : id };
  }
  return { records, next: null };
}
