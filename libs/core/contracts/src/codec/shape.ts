declare const TYPE: unique symbol;

/**
 * Validator of a value from another process: null if the value is a `T`, else the problem with its path and without
 * the value. Validates in place and copies nothing.
 */
export interface Shape<T> {
  (value: unknown): string | null;
  readonly [TYPE]?: () => T;
}

/** Type of a shape. */
export type Infer<S> = S extends Shape<infer T> ? T : never;

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
