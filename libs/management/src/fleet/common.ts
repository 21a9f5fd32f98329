import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import type { ConnectionsPosition, Coverage, NamePosition } from '@carillon/fleet-state';
import { appNotFound } from '../http/authorize.js';
import type { Call } from '../http/call.js';
import { appIdOf } from '../http/call.js';
import { invalidField } from '../http/fields.js';
import { integer } from '../http/schema.js';
import type { ManagementParts } from '../parts.js';

const MIN_DEADLINE_MS = 100;
const MAX_DEADLINE_MS = 10_000;

/** Parameter of every route that requests answers of all gateways. */
export const DEADLINE_QUERY = {
  deadline_ms: integer('Longest wait for gateways in milliseconds', MIN_DEADLINE_MS, MAX_DEADLINE_MS),
} as const;

export interface DeadlineQuery {
  readonly deadline_ms?: number;
}

export const deadlineOf = (
  { query }: Pick<Call<DeadlineQuery>, 'query'>,
  { settings }: Pick<ManagementParts, 'settings'>,
): { readonly deadlineMs: number } => ({ deadlineMs: query.deadline_ms ?? settings().fleet_timeout_ms });

/** @throws ServiceError `app_not_found` */
export async function appOf(
  call: Pick<Call, 'params'>,
  { apps }: Pick<ManagementParts, 'apps'>,
): Promise<App> {
  const app = await apps.findById(appIdOf(call));
  if (app === null) throw appNotFound();
  return app;
}

/** An item that was not found may be on a missing node: 503 then, else 404. */
export function notFound(text: string, { missing_nodes }: Coverage): ServiceError {
  if (missing_nodes.length === 0) return new ServiceError('not_found', { text });
  return new ServiceError('service_unavailable', {
    text: 'some gateways did not answer',
    members: { missing_nodes },
  });
}

/** The position of a cursor. Its shape is unchecked: `isValid` decides. */
export function positionOf<Position>(
  position: unknown,
  isValid: (value: unknown) => value is Position,
): Position | null {
  if (position === null || isValid(position)) return position;
  throw invalidField('cursor', 'is not a cursor of this list and these filters');
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isMissing = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 16 && value.every(isText);

/** Whether a value has the shape of a position in a walk over connections. */
export function isConnectionsPosition(value: unknown): value is ConnectionsPosition {
  if (typeof value !== 'object' || value === null) return false;
  const { node_id, sequence, missing } = value as Record<string, unknown>;
  const isNode = isText(node_id) && node_id.length > 0 && node_id.length <= 160;
  return isNode && Number.isSafeInteger(sequence) && Number(sequence) >= 0 && isMissing(missing);
}

/** Whether a value has the shape of a position in a walk over names. */
export function isNamePosition(value: unknown): value is NamePosition {
  if (typeof value !== 'object' || value === null) return false;
  const { name, missing } = value as Record<string, unknown>;
  return isText(name) && name.length > 0 && isMissing(missing);
}
