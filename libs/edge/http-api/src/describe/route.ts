import type { HttpErrorCode } from '@carillon/errors';
import type { AppRateKind } from '../pipeline/app-rate.js';
import type { JsonSchema } from './json-schema.js';
import type { Parameter } from './parameter.js';
import type { Shape } from './shape.js';

/** A row of the error table that a route answers with; a status where it is not the row's own. */
export type RouteError = HttpErrorCode | { readonly code: HttpErrorCode; readonly status: number };

/** One route of the signed API, as it is mounted and documented. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Below `/apps/:appId`, with `:name` for a segment. */
  readonly path: string;
  /** What people look for it under. */
  readonly tag: 'publish' | 'state' | 'history' | 'users' | 'tokens';
  readonly summary: string;
  readonly description: string;
  /** The per-app window that calls count in; null counts nowhere. */
  readonly rate: AppRateKind | null;
  /** Query and headers; absent: none. */
  readonly parameters?: readonly Parameter[];
  /** Absent: there is none, or it is ignored. */
  readonly body?: JsonSchema;
  readonly reply: Shape<unknown>;
  /** Headers of a reply that are there sometimes, with what they say. Absent: none. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
  /** Besides those every route may answer with. Absent: none. */
  readonly errors?: readonly RouteError[];
}
