import { CompatError } from '../compat-error.js';
import { isObject, type JsonObject } from '../json.js';

const CONTENT = ['title', 'body', 'icon', 'sound', 'collapseKey'] as const;

/**
 * Converts a payload in the library form, with texts under `notification`, or in the native form, with texts at the
 * top level.
 *
 * @throws CompatError 40000 if it is invalid.
 */
export function toNativePayload(payload: unknown): JsonObject {
  if (!isObject(payload)) throw new CompatError(40_000, 'a push payload must be an object');
  const { notification, ...rest } = payload;
  if (notification === undefined || notification === null) return rest;
  if (!isObject(notification)) throw new CompatError(40_000, 'notification must be an object');
  const said = CONTENT.flatMap((name) => (isGiven(notification[name]) ? [[name, notification[name]]] : []));
  return {
    ...(Object.fromEntries(said) as JsonObject),
    ...(isGiven(rest['data']) ? { data: rest['data'] } : {}),
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
