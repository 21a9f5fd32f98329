import type { App } from '@carillon/app-registry';
import {
  type AnyInput,
  type Description,
  DESCRIPTIONS,
  keyHolder,
  type Mark,
  type Operation,
  ReceivedBody,
} from '@carillon/api-operations';
import { appNotFound } from '../http/authorize.js';
import { appIdOf, type Call } from '../http/call.js';
import type { QuerySchemas } from '../http/query.js';
import type { BodyReply } from '../http/reply.js';
import { text } from '../http/schema.js';
import type { ManagementParts } from '../parts.js';

/** Operations of apps that this API performs, with the caller `manage:<principal>`. */
export type PerformedOperation =
  | 'historyState'
  | 'publishBatch'
  | 'publishEvent'
  | 'purgeHistory'
  | 'readHistory'
  | 'resetHistory';

const HEADERS: Readonly<Record<Mark, string>> = {
  partial: 'x-partial-result',
  replayed: 'x-idempotency-replayed',
};

/** Query parameters of an operation; the operation checks them. */
export const optionsOf = (name: PerformedOperation): QuerySchemas =>
  Object.fromEntries(
    (DESCRIPTIONS[name] as Description).options.map((option) => [
      option.name,
      text(option.description, { maxLength: 4096 }),
    ]),
  );

/** @throws ServiceError `app_not_found`, `service_unavailable` */
export async function appOf(call: Call, { apps }: ManagementParts): Promise<App> {
  const app = await apps.findById(appIdOf(call));
  if (app === null) throw appNotFound();
  return app;
}

/** Performs an operation as a signed request of the app would, with its limits, idempotency and side effects. */
export async function perform(
  name: PerformedOperation,
  call: Call,
  parts: ManagementParts,
): Promise<BodyReply> {
  const app = await appOf(call, parts);
  const operation = parts.operations[name] as unknown as Operation<AnyInput, object>;
  const { description } = operation;
  const input: AnyInput = {
    ...Object.fromEntries(description.subjects.map((subject) => [subject, call.params[subject] ?? ''])),
    ...(call.query as Readonly<Record<string, string>>),
    ...(description.takesRequestKey ? { requestKey: call.header('x-idempotency-key') } : {}),
    ...(description.body === undefined ? {} : { body: new ReceivedBody(call.rawBody) }),
  };
  const caller = keyHolder(app, 'management', `manage:${call.principal.name}`);
  const { value, mark } = await operation.perform(caller, input);
  return {
    status: 200,
    body: value,
    ...(mark === undefined ? {} : { headers: { [HEADERS[mark]]: 'true' } }),
  };
}
