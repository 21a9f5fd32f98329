import { leaf, type LeafNode, type LeafOptions, type LeafType } from './node.js';
import { given, refused, wrongType } from './read.js';

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** The truth of an environment variable's text; null when it is neither. */
export function truth(text: string): boolean | null {
  const word = text.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : null;
}

const boolType: LeafType<boolean> = {
  name: 'bool',
  jsonSchema: { type: 'boolean' },
  decode: (raw, path, findings) =>
    typeof raw === 'boolean' ? given(raw) : wrongType(raw, 'boolean', path, findings),
  parse: (text) => {
    const value = truth(text);
    return value === null ? { message: `not a boolean: "${text}"` } : { value };
  },
};

export const bool = (options: LeafOptions<boolean>): LeafNode<boolean> => leaf(boolType, options);

/** Other spellings of driver names, accepted wherever the driver itself is. */
const DRIVER_ALIASES: Readonly<Record<string, string>> = {
  postgresql: 'postgres',
  pgsql: 'postgres',
  scylla: 'scylladb',
  surreal: 'surrealdb',
  'rabbit-mq': 'rabbitmq',
  google_pubsub: 'google-pubsub',
  'gcp-pubsub': 'google-pubsub',
  pubsub: 'google-pubsub',
  'apache-iggy': 'iggy',
  apache_iggy: 'iggy',
  redis_cluster: 'redis-cluster',
};

interface EnumOptions<V extends string> extends LeafOptions<V> {
  readonly values: readonly V[];
  /** Alternative spellings, each with its value. */
  readonly spellings?: Readonly<Record<string, V>>;
}

function enumType<V extends string>(options: EnumOptions<V>): LeafType<V> {
  const spellings: Readonly<Record<string, string>> = { ...DRIVER_ALIASES, ...options.spellings };
  const find = (text: string): V | undefined => {
    const word = text.trim().toLowerCase();
    const meant = Object.hasOwn(spellings, word) ? spellings[word] : word;
    return options.values.find((value) => value === word) ?? options.values.find((value) => value === meant);
  };
  const list = options.values.join(', ');
  return {
    name: options.values.map((value) => `\`${value}\``).join(' '),
    jsonSchema: { type: 'string', enum: options.values },
    decode: (raw, path, findings) => {
      if (typeof raw !== 'string') return wrongType(raw, 'string', path, findings);
      const value = find(raw);
      return value === undefined
        ? refused(`must be one of ${list} (got "${raw}")`, path, findings)
        : given(value);
    },
    parse: (text) => {
      const value = find(text);
      return value === undefined
        ? { message: `unknown value "${text}" (expected ${options.values.join(', ')})` }
        : { value };
    },
  };
}

/** One of a fixed set of words, any case, also by their other spellings. */
export const enumeration = <const V extends string>(options: EnumOptions<V>): LeafNode<V> =>
  leaf(enumType(options), options);
