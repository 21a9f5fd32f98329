import { isJsonObject, type JsonObject } from '@carillon/api-operations';
import { CODES, RpcFailure } from './failure.js';
import { META, REVISIONS, STATELESS_REVISION } from './revisions.js';

/** Headers of a stateless request that repeat its body. */
export interface EnvelopeHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'resources/read': 'uri',
  'prompts/get': 'name',
};
const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

const mismatch = (message: string): RpcFailure => new RpcFailure(400, CODES.headerMismatch, message);
const badEnvelope = (message: string): RpcFailure => new RpcFailure(400, CODES.invalidParams, message);

/** `_meta` of the parameters; an empty object if missing. */
export function metaOf(params: unknown): JsonObject {
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  return isJsonObject(meta) ? meta : {};
}

/** Whether a message declares itself stateless. */
export const isStatelessMessage = (value: unknown): boolean =>
  isJsonObject(value) && metaOf(value['params'])[META.protocolVersion] !== undefined;

/**
 * Checks the required members of a stateless request, and that its headers match the body.
 * @throws RpcFailure
 */
export function checkEnvelope(method: string, params: unknown, headers: EnvelopeHeaders): void {
  const meta = metaOf(params);
  const version = meta[META.protocolVersion];
  if (typeof version !== 'string') throw badEnvelope(`_meta["${META.protocolVersion}"] must be a string`);
  if (version !== STATELESS_REVISION) throw unsupported(version);
  if (!isJsonObject(meta[META.clientCapabilities]))
    throw badEnvelope(`_meta["${META.clientCapabilities}"] must be an object`);
  if (headers.version !== version) throw mismatch('MCP-Protocol-Version and the body differ');
  if (headers.method !== method) throw mismatch('Mcp-Method and the body differ');
  const member = NAMED[method];
  if (member === undefined) return;
  const named = isJsonObject(params) ? params[member] : undefined;
  if (headers.name === undefined || decodeName(headers.name) !== named)
    throw mismatch('Mcp-Name and the body differ');
}

const unsupported = (requested: string): RpcFailure =>
  new RpcFailure(400, CODES.revision, 'unsupported protocol version', {
    data: { supported: REVISIONS, requested },
  });

function decodeName(header: string): string {
  const [, encoded] = ENCODED.exec(header) ?? [];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8');
}

/** Returns the client info; null if unusable. */
export function clientInfoOf(given: unknown): ClientInfo | null {
  if (!isJsonObject(given)) return null;
  const { name, version } = given;
  return typeof name === 'string' ? { name, version: typeof version === 'string' ? version : '' } : null;
}
