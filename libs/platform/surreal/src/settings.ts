import type { Config } from '@carillon/config';
import { SurrealMisconfigured } from './failures.js';

/** `database.surrealdb`. */
export type SurrealSettings = Config['database']['surrealdb'];

const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['ws:', 'ws:'],
  ['wss:', 'wss:'],
  ['http:', 'ws:'],
  ['https:', 'wss:'],
]);

/** Returns the address of the RPC interface. Throws `SurrealMisconfigured` for a scheme it cannot use. */
export function addressOf({ url }: Pick<SurrealSettings, 'url'>): URL {
  const { protocol, host, pathname } = new URL(url);
  const scheme = SCHEMES.get(protocol);
  if (scheme === undefined) {
    throw new SurrealMisconfigured(
      `database.surrealdb.url has scheme "${protocol}"; expected ws://, wss://, http:// or https://`,
    );
  }
  const path = pathname.replace(/\/(rpc\/?)?$/, '');
  return new URL(`${scheme}//${host}${path}/rpc`);
}
