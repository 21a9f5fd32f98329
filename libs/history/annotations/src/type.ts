/** Aggregation method of annotations of one type. */
export type Method = 'distinct' | 'flag' | 'multiple' | 'total' | 'unique';

/** Required fields of an annotation, by method. */
interface Needs {
  readonly clientId: boolean;
  readonly name: boolean;
}

const METHODS: ReadonlyMap<string, Needs> = new Map<Method, Needs>([
  ['total', { clientId: false, name: false }],
  ['flag', { clientId: true, name: false }],
  ['distinct', { clientId: true, name: true }],
  ['unique', { clientId: true, name: true }],
  ['multiple', { clientId: false, name: true }],
]);

const MAX_TYPE_BYTES = 256;

/** The method of a type, `<namespace>:<method>.v1`; null: it is no type. */
export function methodOf(type: string): Method | null {
  const colon = type.indexOf(':');
  if (colon <= 0 || Buffer.byteLength(type) > MAX_TYPE_BYTES || /\s/u.test(type)) return null;
  const [method, version, ...more] = type.slice(colon + 1).split('.');
  const isKnown = method !== undefined && METHODS.has(method) && version === 'v1' && more.length === 0;
  return isKnown ? (method as Method) : null;
}

/** Returns the missing field of an annotation; null if complete. */
export function missingOf(
  method: Method,
  { name, clientId }: { readonly name: string | null; readonly clientId: string | null },
): 'clientId' | 'name' | null {
  const needs = METHODS.get(method);
  if (needs?.name === true && (name === null || name === '')) return 'name';
  return needs?.clientId === true && (clientId === null || clientId === '') ? 'clientId' : null;
}
