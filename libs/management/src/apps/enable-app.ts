import { appIdOf, type Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { changeApp, itemOf, written } from './stored-app.js';

/** Handler that enables or disables an app; idempotent. */
export const setEnabled =
  (enabled: boolean) =>
  async (call: Call, parts: ManagementParts): Promise<Reply> => {
    const { before, after } = await changeApp(appIdOf(call), parts, ({ record }) =>
      record.enabled === enabled ? record : written({ ...record, enabled }),
    );
    call.audit.changed({ enabled: before.enabled }, { enabled });
    return ok(itemOf(after.record, parts), { etag: after.etag });
  };
