// Libraries in other languages: each is driven over HTTP by a program in its language, which is an engine.
import type { Tenant } from '../harness/tenant.js';

/** Where a server library finds the service, and as whom. */
export interface LibraryOptions {
  readonly app_id: string;
  readonly key: string;
  readonly secret: string;
  readonly host: string;
  readonly port: number;
  readonly encryption_master_key_base64?: string;
}

/** What a test wants otherwise for one call. */
export type CallOptions = Partial<LibraryOptions>;

/** A library that belongs to the app and speaks to that port. */
export const optionsFor = ({ id, key, secret }: Tenant, port: number): LibraryOptions => ({
  app_id: id,
  key,
  secret,
  host: '127.0.0.1',
  port,
});

/** What the program at this address answers; rejects with the reason it gives. */
export async function tellDriver(url: string, command: object): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(command) });
  const said = await answer.json();
  if (!answer.ok) throw new Error((said as { error: string }).error);
  return said;
}

/** What the method returns, called on a library made with these options; rejects with the library's own words. */
export async function callLibrary(
  url: string,
  options: LibraryOptions,
  method: string,
  given: object,
): Promise<unknown> {
  const said = await tellDriver(url, { do: 'call', options, method, arguments: given });
  return (said as { value: unknown }).value;
}
