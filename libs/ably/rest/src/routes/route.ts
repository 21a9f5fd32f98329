import type { JsonSchema } from '@carillon/api-operations';
import type { ParameterName } from './parameters.js';

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';

/** One of the routes for Ably clients: it is mounted and documented by its row. */
export interface CompatRoute {
  readonly method: Method;
  /** With `:name` for a segment. */
  readonly path: string;
  /** A second path of the route. Absent: none. */
  readonly alias?: string;
  readonly area: 'connection' | 'messages' | 'presence' | 'push' | 'statistics' | 'tokens';
  readonly summary: string;
  /** Accepted authentication: none, a key, a key or a token, or a device token as well. */
  readonly proof: 'nothing' | 'key' | 'caller' | 'device';
  /** Required rights, for the documentation; absent: none. */
  readonly rights?: string;
  readonly parameters: readonly ParameterName[];
  /** Its answers are pages, linked to each other. */
  readonly isPaged: boolean;
  /** Absent: it takes none. */
  readonly body?: JsonSchema;
  /** Answers by status; null: no body. */
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
