import type { Problem } from '../problem.js';

/** The findings so far; every reader adds to them and continues. */
export interface Findings {
  readonly problems: Problem[];
  /** Worth telling the operator; the values are usable. */
  readonly warnings: Problem[];
  /** Unknown keys: warnings, or problems if keys are checked strictly. */
  readonly unknownKeys: Problem[];
  /** Paths that were given a value, as opposed to having kept their default. */
  readonly configured: Set<string>;
}

/** A value, or null when the raw one could not be used and the default stays. */
export type Decoded<T> = { readonly value: T } | null;

/** A value parsed from an environment variable, or an error message. */
export type Parsed<T> = { readonly value: T } | { readonly message: string };

/** Parses one kind of value from a file and from an environment variable. */
export interface LeafType<T> {
  /** The type name in the reference. */
  readonly name: string;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  decode(raw: unknown, path: string, findings: Findings): Decoded<T>;
  /** Never called with blank text. The message never holds the text of a secret. */
  parse(text: string): Parsed<T>;
}

/** A limit on a value, checked after every source has spoken. */
export interface Bound<T> {
  /** The description in the reference. */
  readonly text: string;
  check(value: T, path: string): readonly Problem[];
}

/** The effect of a variable on its setting: sets the value, or (if the variable is true) fixes a boolean. */
export type EnvEffect = 'value' | 'forces-true' | 'forces-false';

export interface EnvBinding {
  readonly name: string;
  readonly effect: EnvEffect;
}

/** One setting. */
export interface LeafNode<T> {
  readonly kind: 'leaf';
  readonly type: LeafType<T>;
  /** Null: unset (optional) or filled in later (derived). */
  readonly default: T | null;
  /** The description of a default that depends on other settings; null if the default is fixed. */
  readonly derived: string | null;
  readonly optional: boolean;
  /** Applied in this order, so a later variable wins. */
  readonly env: readonly EnvBinding[];
  /** Variables that shape this setting in their own way; only named here for the reference. */
  readonly specialEnv: readonly string[];
  /** An override that is set but empty unsets the value instead of being ignored. */
  readonly emptyClears: boolean;
  readonly unit: string | null;
  readonly meaning: string;
  readonly bounds: readonly Bound<T>[];
  readonly secret: boolean;
  /** Other full paths by which a file may give this setting. */
  readonly aliases: readonly string[];
  /** The fields of one row when the value is a list of tables; null otherwise. */
  readonly rows: TableNode | null;
}

export type Fields = Readonly<Record<string, Node>>;

/** A group of settings. */
export interface TableNode<F extends Fields = Fields> {
  readonly kind: 'table';
  readonly fields: F;
  readonly aliases: readonly string[];
}

export type Node = LeafNode<unknown> | TableNode;

/** The typed tree of a node, readonly at every depth. */
export type Infer<N> =
  N extends TableNode<infer F>
    ? { readonly [K in keyof F]: Infer<F[K]> }
    : N extends { readonly kind: 'leaf'; readonly type: LeafType<infer T> }
      ? T
      : never;

/** The options of every setting builder, besides its own limits. */
export interface LeafOptions<T> {
  /** Null only inside `optional` or `derived`. */
  readonly default: T | null;
  readonly meaning: string;
  readonly env?: string | readonly (string | EnvBinding)[];
  readonly specialEnv?: readonly string[];
  readonly emptyClears?: boolean;
  readonly unit?: string;
  readonly bounds?: readonly Bound<T>[];
  readonly secret?: boolean;
  readonly aliases?: readonly string[];
}

function bindings(env: LeafOptions<unknown>['env']): readonly EnvBinding[] {
  const names = env === undefined ? [] : typeof env === 'string' ? [env] : env;
  return names.map((entry) => (typeof entry === 'string' ? { name: entry, effect: 'value' } : entry));
}

export function leaf<T>(type: LeafType<T>, options: LeafOptions<T>): LeafNode<T> {
  return {
    kind: 'leaf',
    type,
    default: options.default,
    derived: null,
    optional: false,
    env: bindings(options.env),
    specialEnv: options.specialEnv ?? [],
    emptyClears: options.emptyClears ?? false,
    unit: options.unit ?? null,
    meaning: options.meaning,
    bounds: options.bounds ?? [],
    secret: options.secret ?? false,
    aliases: options.aliases ?? [],
    rows: null,
  };
}

export function table<F extends Fields>(fields: F, aliases: readonly string[] = []): TableNode<F> {
  return { kind: 'table', fields, aliases };
}
