import { isJsonObject, type JsonObject } from '@carillon/api-operations';
import { isDeeperThan } from '@carillon/protocol';
import { CODES, RpcFailure } from './failure.js';

/** One message of a client. */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: string | number;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response' };

/** A body: one message, or several in an array. Each with the text it was read from. */
export interface ReceivedMessages {
  readonly isArray: boolean;
  readonly text: string;
  readonly items: readonly unknown[];
}

const MAX_DEPTH = 64;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

const parseError = (): RpcFailure => new RpcFailure(400, CODES.parse, 'the body is not JSON in UTF-8');
const invalid = (message: string): RpcFailure => new RpcFailure(400, CODES.invalidRequest, message);

/**
 * Parses the body of a POST.
 * @throws RpcFailure if it is no JSON, or nested too deeply
 */
export function readBody(bytes: Uint8Array | undefined): ReceivedMessages {
  const { text, value } = parse(bytes ?? new Uint8Array(0));
  if (isDeeperThan(value, MAX_DEPTH)) throw invalid(`the body is nested deeper than ${MAX_DEPTH}`);
  return Array.isArray(value)
    ? { isArray: true, text, items: value }
    : { isArray: false, text, items: [value] };
}

function parse(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    const text = UTF8.decode(bytes);
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    throw parseError();
  }
}

/**
 * Checks one message.
 * @throws RpcFailure if it is no JSON-RPC 2.0 message
 */
export function readMessage(value: unknown): Message {
  if (!isJsonObject(value)) throw invalid('a message must be an object');
  if (value['jsonrpc'] !== '2.0') throw invalid('jsonrpc must be "2.0"');
  const hasId = Object.hasOwn(value, 'id');
  const { id, method, params } = value;
  if (hasId && !isId(id)) throw invalid('id must be a string or an integer');
  if (method === undefined) return readResponse(value, hasId);
  if (typeof method !== 'string') throw invalid('method must be a string');
  if (params !== undefined && !isJsonObject(params)) throw invalid('params must be an object');
  return isId(id) ? { kind: 'request', id, method, params } : { kind: 'notification', method, params };
}

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

function readResponse(value: JsonObject, hasId: boolean): Message {
  if (hasId && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))) return { kind: 'response' };
  throw invalid('method is missing');
}
