import type { ClientLibrary } from '@carillon/protocol';

/** Distinct names that are shared between connections; further ones are texts of their own. */
const MAX_SHARED = 1000;

const shared = new Map<string, string>();

/** Name and version of a client library, as `js 8.6.0`; null if the client gave no name. */
export function clientName({ client, version }: ClientLibrary): string | null {
  if (client === '') return null;
  const text = version === '' ? client : `${client} ${version}`;
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size < MAX_SHARED) shared.set(text, text);
  return text;
}
