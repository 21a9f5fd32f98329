import { isJsonObject, type JsonObject } from '@carillon/api-operations';
import { invalidParams } from '../rpc/failure.js';

export const paramsOf = (params: unknown): JsonObject => (isJsonObject(params) ? params : {});

/** @throws RpcFailure when it is no text. */
export function textParam(params: unknown, name: string): string {
  const value = paramsOf(params)[name];
  if (typeof value !== 'string') throw invalidParams(`${name} must be a string`);
  return value;
}

/** Every list is one page. @throws RpcFailure for any cursor. */
export function refuseCursor(params: unknown): void {
  if (paramsOf(params)['cursor'] !== undefined)
    throw invalidParams('there is one page only: no cursor is valid');
}
