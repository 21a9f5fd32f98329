/** Codes of JSON-RPC, of the protocol and, outside the reserved range, our own. */
export const CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  transport: -32_000,
  noSession: -32_001,
  noResource: -32_002,
  headerMismatch: -32_020,
  revision: -32_022,
  token: 1401,
  bodySize: 1413,
  rate: 1429,
  unavailable: 1503,
} as const;

export interface FailureOptions {
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON-RPC error with its HTTP status. */
export class RpcFailure extends Error {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    { data, headers = {} }: FailureOptions = {},
  ) {
    super(message);
    this.data = data;
    this.headers = headers;
  }
}

export const invalidParams = (message: string, data?: object): RpcFailure =>
  new RpcFailure(200, CODES.invalidParams, message, { data });

export const unavailable = (message: string): RpcFailure =>
  new RpcFailure(503, CODES.unavailable, message, { headers: { 'retry-after': '1' } });

/** Request id; null if unknown. */
export type RpcId = string | number | null;

export const errorMessage = (id: RpcId, { code, message, data }: RpcFailure): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
