declare const TYPE: unique symbol;

/**
 * What a value from another process must look like: null when the value fits `T`, else what is wrong, by path and
 * without quoting the value. Checks in place and copies nothing.
 */
export interface Shape<T> {
  (value: unknown): string | null;
  readonly [TYPE]?: () => T;
}

/** The type a shape stands for. */
export type Infer<S> = S extends Shape<infer T> ? T : never;

/** Whatever JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
