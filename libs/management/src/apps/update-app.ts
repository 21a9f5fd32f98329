import { type AppRecord, parseAppRecord, serializeAppRecord } from '@carillon/config';
import { ServiceError, type FieldProblem } from '@carillon/errors';
import { appIdOf, type Call } from '../http/call.js';
import { invalidFields } from '../http/fields.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { isJsonObject, mergePatch } from './merge-patch.js';
import { restoreWebhooks } from './redacted-webhooks.js';
import { checkWritable, itemOf, readApp, storeErrors, written } from './stored-app.js';

type Json = Record<string, unknown>;

const PATCHED: ReadonlySet<string> = new Set(['key', 'enabled', 'policy']);

/** A conditional update: a writer that read an older state is refused, also when both write at the same time. */
export async function updateApp(call: Call<unknown, Json>, parts: ManagementParts): Promise<Reply> {
  const appId = appIdOf(call);
  const stored = await readApp(appId, parts);
  checkWritable(appId, parts);
  checkPrecondition(call.header('if-match'), stored.etag);
  const next = written(patched(stored.record, call.body));
  await storeErrors(parts.apps.update(next, stored.revision));
  const after = await readApp(appId, parts);
  call.audit.changed(auditView(stored.record, parts), auditView(next, parts));
  return ok(itemOf(after.record, parts), { etag: after.etag });
}

const auditView = (record: AppRecord, parts: ManagementParts) => {
  const { key, enabled, policy } = itemOf(record, parts);
  return { key, enabled, policy };
};

/** @throws ServiceError `precondition_required`, `precondition_failed` */
function checkPrecondition(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) throw new ServiceError('precondition_required');
  const tags = new Set(ifMatch.split(',').map((tag) => tag.trim()));
  if (!tags.has('*') && !tags.has(etag)) throw new ServiceError('precondition_failed');
}

/** @throws ServiceError `invalid_input` that names every invalid field */
export function patched(record: AppRecord, patch: Json): AppRecord {
  const stored = serializeAppRecord(record);
  const problems: FieldProblem[] = Object.keys(patch)
    .filter((name) => !PATCHED.has(name))
    .map((path) => ({
      path,
      message: ['id', 'secret'].includes(path) ? 'cannot be changed by an update' : 'is not a known field',
    }));
  const known = Object.fromEntries(Object.entries(patch).filter(([name]) => PATCHED.has(name)));
  const merged = mergePatch(stored, known) as Json;
  const policy = merged['policy'];
  if (isJsonObject(policy) && isJsonObject(known['policy']) && 'webhooks' in known['policy'])
    policy['webhooks'] = restoreWebhooks(policy['webhooks'], record.policy.webhooks, problems);
  const before = new Set(parseAppRecord(stored, '').unknownKeys.map(({ path }) => path));
  const parsed = parseAppRecord({ ...merged, policy: policy ?? {} }, '');
  problems.push(...parsed.problems);
  for (const { path } of parsed.unknownKeys)
    if (!before.has(path)) problems.push({ path, message: 'is not a known field' });
  if (parsed.record === null || problems.length > 0) throw invalidFields(problems);
  return parsed.record;
}
