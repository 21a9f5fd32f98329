import type { HttpErrorCode } from '@carillon/errors';
import type { Scope } from '../auth/principals.js';
import type { AuditAction } from '../audit/entry.js';
import type { Call } from '../http/call.js';
import { PAGE_QUERY } from '../http/paging.js';
import type { QuerySchemas } from '../http/query.js';
import type { Reply } from '../http/reply.js';
import type { Schema } from '../http/schema.js';
import type { ManagementParts } from '../parts.js';

/**
 * How the apps of a token restrict a route. `app`: `{app_id}` of the path must be one of them, else 404. `all`: the token
 * must have `*`, else 403. `visible`: the handler leaves out other apps. `none`: the route is about no app.
 */
export type AppRule = 'all' | 'app' | 'none' | 'visible';

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST';

export type Handler<Query, Body> = (
  call: Call<Query, Body>,
  parts: ManagementParts,
) => Promise<Reply> | Reply;

/** One row of the route table: everything that the pipeline, the document and the tests know of a route. */
export interface Route {
  readonly method: Method;
  /** Below `/manage/v1`, with `:name` for a path parameter. */
  readonly path: string;
  /** `operationId` of the document; unique. */
  readonly name: string;
  readonly summary: string;
  /** `any`: every credential. `null`: no credential is needed. */
  readonly scope: Scope | 'any' | null;
  readonly app: AppRule;
  readonly query: QuerySchemas;
  /** Null: the route takes no body. */
  readonly body: Schema | null;
  /** Whether a request may lack its body, which then is `{}`. */
  readonly mayLackBody: boolean;
  /** Besides `application/json`. */
  readonly bodyTypes: readonly string[];
  readonly status: number;
  /** Schema of the body of that status. */
  readonly answer: Schema;
  /** Codes besides those that every route has. */
  readonly errors: readonly HttpErrorCode[];
  /** Null: not audited. A function decides by the query. */
  readonly action: AuditAction | ((query: Readonly<Record<string, unknown>>) => AuditAction | null) | null;
  /** Whether a request may run longer than 30 s. */
  readonly isStream: boolean;
  readonly handle: Handler<unknown, unknown>;
}

type Given<Query, Body> = Pick<Route, 'app' | 'method' | 'name' | 'path' | 'scope' | 'summary'> &
  Partial<Omit<Route, 'handle'>> & {
    /** Adds `limit` and `cursor` to the query. */
    readonly isList?: boolean;
    readonly handle: Handler<Query, Body>;
  };

/** Makes a row; `Query` and `Body` are what the schemas of the row accept. */
export function route<Query = unknown, Body = unknown>(given: Given<Query, Body>): Route {
  const { handle, isList = false, query = {}, ...rest } = given;
  return {
    body: null,
    mayLackBody: false,
    bodyTypes: [],
    status: 200,
    answer: { type: 'object' },
    errors: [],
    action: null,
    isStream: false,
    ...rest,
    query: isList ? { ...query, ...PAGE_QUERY } : query,
    // The pipeline hands over only what the schemas of this row accepted.
    handle: handle as Handler<unknown, unknown>,
  };
}
