import type { JsonSchema } from '@carillon/api-operations';
import type { ParameterName } from './parameters.js';

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';

/** One of the routes for Ably clients: it is mounted and documented by its row. */
export interface CompatRoute {
  readonly method: Method;
  /** With `:name` for a segment. */
  readonly path: string;
  /** Another path of the same. Absent: there is none. */
  readonly alias?: string;
  readonly area: 'connection' | 'messages' | 'presence' | 'push' | 'statistics' | 'tokens';
  readonly summary: string;
  /** How a caller proves who asks: not at all, with a key, with a key or a token, and with the token of a device as well. */
  readonly proof: 'nothing' | 'key' | 'caller' | 'device';
  /** What has to be granted, for people; absent: nothing. */
  readonly rights?: string;
  readonly parameters: readonly ParameterName[];
  /** Its answers are pages, linked to each other. */
  readonly isPaged: boolean;
  /** Absent: it takes none. */
  readonly body?: JsonSchema;
  /** By status; null: nothing but the status. */
  readonly answers: Readonly<Record<number, JsonSchema | 'text' | null>>;
}

type More = Partial<Pick<CompatRoute, 'alias' | 'body' | 'isPaged' | 'parameters' | 'proof' | 'rights'>>;

/** Rows of one area. */
export const routesOf =
  (area: CompatRoute['area']) =>
  (
    method: Method,
    path: string,
    summary: string,
    answers: CompatRoute['answers'],
    more: More = {},
  ): CompatRoute => ({
    method,
    path,
    area,
    summary,
    answers,
    proof: 'caller',
    parameters: [],
    isPaged: false,
    ...more,
  });
