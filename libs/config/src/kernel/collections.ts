import { Secret } from '../secret.js';
import { checkTable } from './check-table.js';
import { decodeTable } from './decode-table.js';
import {
  leaf,
  type Fields,
  type Infer,
  type LeafNode,
  type LeafOptions,
  type LeafType,
  type TableNode,
} from './node.js';
import { given, isTable, wrongType } from './read.js';

/** The items of a comma list, trimmed, empty ones dropped. */
export const items = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** A list whose items are validated individually; an invalid item is reported and the default list applies. */
function listType<T>(
  name: string,
  item: Readonly<Record<string, unknown>>,
  read: (raw: unknown) => T | null,
): LeafType<readonly T[]> {
  return {
    name,
    jsonSchema: { type: 'array', items: item },
    decode: (raw, path, findings) => {
      if (!Array.isArray(raw)) return wrongType(raw, 'list', path, findings);
      const values: T[] = [];
      raw.forEach((entry: unknown, index) => {
        const value = read(entry);
        if (value === null) wrongType(entry, 'string', `${path}[${index}]`, findings);
        else values.push(value);
      });
      return values.length === raw.length ? given(values) : null;
    },
    parse: (text) => {
      const values = items(text).map(read);
      return { value: values.filter((value) => value !== null) };
    },
  };
}

const text = (raw: unknown): string | null => (typeof raw === 'string' ? raw : null);
const stringList = listType('list of strings', { type: 'string' }, text);

export const list = (options: LeafOptions<readonly string[]>): LeafNode<readonly string[]> =>
  leaf(stringList, options);

const secretText = (raw: unknown): Secret | null => (typeof raw === 'string' ? new Secret(raw) : null);
const secretListType = listType('list of secret strings', { type: 'string' }, secretText);

export const secretList = (options: LeafOptions<readonly Secret[]>): LeafNode<readonly Secret[]> =>
  leaf(secretListType, { ...options, secret: true });

/** Converts a cluster node given as a table, with the defaults of such an item, to `host:port`. */
function clusterNode(raw: unknown): string | null {
  if (typeof raw === 'string') return raw;
  if (!isTable(raw)) return null;
  const { host = '127.0.0.1', port = 7000, ...rest } = raw;
  const known = typeof host === 'string' && Number.isInteger(port) && Object.keys(rest).length === 0;
  return known ? `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${String(port)}` : null;
}

const nodeSchema = {
  oneOf: [
    { type: 'string' },
    {
      type: 'object',
      properties: { host: { type: 'string' }, port: { type: 'integer' } },
      additionalProperties: false,
    },
  ],
};
const nodeList = listType('list of URLs, `host:port` or `{host,port}`', nodeSchema, clusterNode);

/** Nodes of a key-value cluster; a `{host,port}` item is kept as `host:port`. */
export const clusterNodes = (options: LeafOptions<readonly string[]>): LeafNode<readonly string[]> =>
  leaf(nodeList, options);

type StringMap = Readonly<Record<string, string>>;

const mapType: LeafType<StringMap> = {
  name: 'map of strings',
  jsonSchema: { type: 'object', additionalProperties: { type: 'string' } },
  decode: (raw, path, findings) => {
    if (!isTable(raw)) return wrongType(raw, 'table', path, findings);
    const wrong = Object.entries(raw).filter(([, value]) => typeof value !== 'string');
    for (const [key, value] of wrong) wrongType(value, 'string', `${path}.${key}`, findings);
    return wrong.length > 0 ? null : given(raw as StringMap);
  },
  parse: (text) => {
    const entries = items(text).map((item) => [item.indexOf('='), item] as const);
    if (entries.some(([at]) => at < 1)) return { message: 'not a list of key=value' };
    const value = entries.map(([at, item]) => [item.slice(0, at).trim(), item.slice(at + 1).trim()] as const);
    return { value: Object.fromEntries(value) };
  },
};

export const map = (options: LeafOptions<StringMap>): LeafNode<StringMap> => leaf(mapType, options);

interface RowsOptions<F extends Fields> extends Omit<LeafOptions<readonly Infer<TableNode<F>>[]>, 'default'> {
  readonly row: TableNode<F>;
}

function rowsType<F extends Fields>(row: TableNode<F>): LeafType<readonly Infer<TableNode<F>>[]> {
  const decode: LeafType<readonly Infer<TableNode<F>>[]>['decode'] = (raw, path, findings) => {
    if (!Array.isArray(raw)) return wrongType(raw, 'list', path, findings);
    const values = raw.map((entry: unknown, index) => decodeTable(row, entry, `${path}[${index}]`, findings));
    return given(values as readonly Infer<TableNode<F>>[]);
  };
  return {
    name: 'list of tables',
    jsonSchema: { type: 'array' },
    decode,
    parse: () => ({ message: 'not settable by a variable' }),
  };
}

/** A list of tables, empty by default; a list in a file replaces it whole. */
export function rows<F extends Fields>(options: RowsOptions<F>): LeafNode<readonly Infer<TableNode<F>>[]> {
  const inner = {
    text: '',
    check: (values: readonly unknown[], path: string) =>
      values.flatMap((value, index) => checkTable(options.row, value, `${path}[${index}]`)),
  };
  const node = leaf(rowsType(options.row), {
    ...options,
    default: [],
    bounds: [inner, ...(options.bounds ?? [])],
  });
  return { ...node, rows: options.row };
}
