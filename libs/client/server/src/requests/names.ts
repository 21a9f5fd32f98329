/** Members whose content belongs to the app or is named by it: passed on as it is. */
const OPAQUE: ReadonlySet<string> = new Set([
  'data',
  'extras',
  'tags',
  'metadata',
  'user_info',
  'headers',
  'rendered_payloads',
  'renderedPayloads',
  'payload',
  'locales',
  'providerOverrides',
]);
/** Members whose keys are names of channels. */
const BY_NAME: ReadonlySet<string> = new Set(['channels']);

const camel = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** An answer of the service with camelCase members at every depth, except in content of the app. */
export function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [camel(name), contentOf(name, content)]),
  );
}

function contentOf(name: string, content: unknown): unknown {
  if (OPAQUE.has(name)) return content;
  const isMap =
    BY_NAME.has(name) && typeof content === 'object' && content !== null && !Array.isArray(content);
  if (!isMap) return renamed(content);
  return Object.fromEntries(Object.entries(content).map(([key, one]) => [key, renamed(one)]));
}

/** The defined members only: an absent option is not sent. */
export const defined = <Members extends object>(members: Members): Partial<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Members>;

/** Query values as text; undefined ones are left out. */
export const queryOf = (members: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(defined(members)).map(([name, value]) => [name, String(value)]));
