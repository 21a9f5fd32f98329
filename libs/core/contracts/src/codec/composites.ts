import type { Infer, Shape } from './shape.js';

type Fields = Readonly<Record<string, Shape<unknown>>>;

type OptionalName<F extends Fields> = {
  [Name in keyof F]: undefined extends Infer<F[Name]> ? Name : never;
}[keyof F];

/** The object that fields describe. */
export type ObjectOf<F extends Fields> = {
  readonly [Name in Exclude<keyof F, OptionalName<F>>]: Infer<F[Name]>;
} & { readonly [Name in OptionalName<F>]?: Infer<F[Name]> };

/** An object with these members. Others may be there and are ignored, so that versions can mix. */
export function object<const F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  const members = Object.entries(fields).map(([name, shape]) => ({ name, shape }));
  return (value) => {
    if (!isObject(value)) return 'must be an object';
    for (const { name, shape } of members) {
      const problem = shape(value[name]);
      if (problem !== null) return `${name}: ${problem}`;
    }
    return null;
  };
}

/** A list with a bounded number of items. */
export function list<T>(item: Shape<T>, min: number, max: number): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length < min || value.length > max) return `must hold ${min} to ${max} items`;
    for (const [at, one] of value.entries()) {
      const problem = item(one);
      if (problem !== null) return `${at}: ${problem}`;
    }
    return null;
  };
}

/** A map from names to values. Problems omit the name, which may be client data. */
export function map<T>(name: Shape<string>, item: Shape<T>, max: number): Shape<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isObject(value)) return 'must be an object';
    const names = Object.keys(value);
    if (names.length > max) return `must hold at most ${max} members`;
    for (const one of names) {
      const problem = name(one) ?? item(value[one]);
      if (problem !== null) return `*: ${problem}`;
    }
    return null;
  };
}

/** May be absent. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value) => (value === undefined ? null : shape(value));
}

/** May be null, which then means something. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value));
}

/** May be absent or null, which mean the same. */
export function perhaps<T>(shape: Shape<T>): Shape<T | null | undefined> {
  return optional(nullable(shape));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
