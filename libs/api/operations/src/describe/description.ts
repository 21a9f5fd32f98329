import type { HttpErrorCode } from '@carillon/errors';
import type { JsonBody } from '../json/json-body.js';
import type { JsonSchema } from './json-schema.js';
import type { Option } from './option.js';
import type { Shape, ValueOf } from './shape.js';

/** A row of the error table that an operation fails with; a status where it is not the row's own. */
export type OperationError = HttpErrorCode | { readonly code: HttpErrorCode; readonly status: number };

/** The two windows per second that an app has. */
export type AppRateKind = 'backend' | 'read';

/** Subject of an operation, always given. */
export type Subject = 'annotation_serial' | 'channel' | 'message_serial' | 'user_id';

/** Properties of an answer besides its value: replayed, or incomplete. */
export type Mark = 'replayed' | 'partial';

/** One thing the service can be asked to do, as every face needs to know it. */
export interface Description {
  /** Section in references. */
  readonly area: 'publish' | 'state' | 'history' | 'messages' | 'annotations' | 'users' | 'tokens';
  readonly summary: string;
  readonly description: string;
  /** The window of the app that it counts in; null counts nowhere. */
  readonly rate: AppRateKind | null;
  /** Cost for the rate limit; absent: 1. Never throws. */
  readonly cost?: (body: JsonBody) => number;
  readonly subjects: readonly Subject[];
  readonly options: readonly Option[];
  /** Absent: it takes none. */
  readonly body?: JsonSchema;
  /** True: no body at all is an empty object. Absent: it must be there. */
  readonly mayLackBody?: true;
  /** Whether it is carried out once for a key of the request. */
  readonly takesRequestKey: boolean;
  readonly result: Shape<unknown>;
  /** Absent: none. */
  readonly mark?: Mark;
  /** Besides those everything may fail with. */
  readonly errors: readonly OperationError[];
}

/** Defaults of omitted members. */
const NOTHING = { subjects: [], options: [], takesRequestKey: false, errors: [] } as const;

type Given = Omit<Description, keyof typeof NOTHING> & Partial<Description>;

/** A description with everything in it. */
export const describe = <const One extends Given>(one: One): Omit<typeof NOTHING, keyof One> & One => ({
  ...NOTHING,
  ...one,
});

/** Input of an operation. */
export type InputOf<One extends Description> = {
  readonly [Name in One['subjects'][number]]: string;
} & {
  readonly [Each in One['options'][number] as Each['name']]?: string | undefined;
} & (One extends { readonly body: JsonSchema } ? { readonly body: JsonBody } : object) &
  (One['takesRequestKey'] extends true ? { readonly requestKey?: string | undefined } : object);

/** Untyped input, for code driven by descriptions. */
export type AnyInput = Readonly<Record<string, string | JsonBody | undefined>>;

export type ResultOf<One extends Description> = ValueOf<One['result']>;
