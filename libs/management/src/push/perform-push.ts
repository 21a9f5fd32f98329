import { ServiceError } from '@carillon/errors';
import { PUSH_ROUTES, type PushRouteName } from '@carillon/push-core';
import type { Call } from '../http/call.js';
import type { QuerySchemas } from '../http/query.js';
import type { BodyReply } from '../http/reply.js';
import { integer, text, timeMs } from '../http/schema.js';
import { appOf } from '../operations/perform.js';
import type { ManagementParts } from '../parts.js';

const MAX_PAGE = 1000;

/** Query parameters of a push operation. */
export function pushQuery(name: PushRouteName): QuerySchemas {
  const { query, isList } = PUSH_ROUTES[name];
  const options = query.map((option) => [
    option,
    option.endsWith('Ms') ? timeMs('Bound of the time') : text('Filter', { maxLength: 1024 }),
  ]);
  return {
    ...(Object.fromEntries(options) as QuerySchemas),
    ...(isList
      ? { limit: integer('Items of the page', 1, MAX_PAGE), cursor: text('Cursor of the previous page') }
      : {}),
  };
}

/** Performs a push operation as the signed API does for the holder of the secret. */
export async function performPush(
  name: PushRouteName,
  call: Call,
  parts: ManagementParts,
): Promise<BodyReply> {
  const push = pushOf(parts);
  const app = await appOf(call, parts);
  const query = call.query as Readonly<Record<string, number | string>>;
  const { status } = PUSH_ROUTES[name];
  const { value } = await push.perform(name, {
    app,
    caller: { kind: 'admin', rotates: false },
    segments: { deadLetterId: call.params['id'] ?? '' },
    option: (option) => {
      const given = Object.hasOwn(query, option) ? query[option] : undefined;
      return given === undefined ? undefined : String(given);
    },
    body: () => call.body,
    quotaOverride: false,
  });
  return value === undefined ? { status: 204 } : { status, body: value };
}

/** @throws ServiceError `feature_disabled` */
export function pushOf({ push }: ManagementParts) {
  if (push === null) throw new ServiceError('feature_disabled', { text: 'push is not enabled' });
  return push;
}
