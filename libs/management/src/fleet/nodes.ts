import { SERIES_NAMES, type SeriesName } from '@carillon/fleet-state';
import { ServiceError } from '@carillon/errors';
import { canSee } from '../auth/principals.js';
import type { Call } from '../http/call.js';
import { Cursors, pageBody, type PageQuery } from '../http/paging.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { deadlineOf, type DeadlineQuery } from './common.js';

export interface SeriesParameters extends DeadlineQuery {
  readonly name?: readonly SeriesName[];
  readonly app_id?: string;
  readonly node_id?: string;
}

export function listNodes({ query }: Call<PageQuery>, { fleet }: ManagementParts): Reply {
  const cursors = new Cursors('nodes', {});
  const after = cursors.readText(query.cursor);
  const later = fleet.nodes.list().filter(({ node_id }) => after === null || node_id > after);
  const items = later.slice(0, query.limit);
  const next = later.length > items.length ? (items.at(-1)?.node_id ?? null) : null;
  return ok(pageBody(items, next, cursors));
}

export function showNode({ params }: Call, { fleet }: ManagementParts): Reply {
  const node = fleet.nodes.one(params['node_id'] ?? '');
  if (node === null) throw new ServiceError('not_found', { text: 'the node does not exist' });
  return ok(node);
}

export function listDependencies({ query }: Call<PageQuery>, { fleet }: ManagementParts): Reply {
  const cursors = new Cursors('dependencies', {});
  const after = cursors.readText(query.cursor);
  const later = fleet.nodes.dependencies().filter(({ name }) => after === null || name > after);
  const items = later.slice(0, query.limit);
  const next = later.length > items.length ? (items.at(-1)?.name ?? null) : null;
  return ok(pageBody(items, next, cursors));
}

export async function showSeries(call: Call<SeriesParameters>, parts: ManagementParts): Promise<Reply> {
  const { name: names = SERIES_NAMES, app_id, node_id } = call.query;
  const { principal } = call;
  const visible = principal.apps === null ? null : [...principal.apps];
  const app_ids = app_id === undefined ? visible : canSee(principal, app_id) ? [app_id] : [];
  const query = { names, app_ids, ...(node_id === undefined ? {} : { node_id }) };
  return ok(await parts.fleet.series.read(query, deadlineOf(call, parts)));
}
