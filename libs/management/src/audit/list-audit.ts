import { ServiceError } from '@carillon/errors';
import type { Call } from '../http/call.js';
import { invalidField } from '../http/fields.js';
import { Cursors, pageBody, type PageQuery } from '../http/paging.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import type { AuditFilter, AuditPosition } from './entry.js';

/** Newest entries first; of a restricted token those about its apps. */
export async function listAudit(
  { query, principal }: Call<AuditFilter & PageQuery>,
  { audit }: ManagementParts,
): Promise<Reply> {
  const { limit, cursor, ...filter } = query;
  const cursors = new Cursors('audit', filter);
  const after = positionOf(cursors.read(cursor));
  const page = await audit.store.list(filter, principal.apps, after, limit).catch((cause: unknown) => {
    throw new ServiceError('service_unavailable', { text: 'the audit log is unavailable', cause });
  });
  return ok(pageBody(page.entries, page.next, cursors));
}

function positionOf(position: unknown): AuditPosition | null {
  if (position === null) return null;
  const { atMs, id } = Object(position) as Partial<AuditPosition>;
  if (Number.isSafeInteger(atMs) && typeof id === 'string' && id.length <= 64)
    return { atMs: Number(atMs), id };
  throw invalidField('cursor', 'is not a cursor of this list');
}
