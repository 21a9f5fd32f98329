import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import type { RedisTls } from './target.js';

const read = (path: string | null): Promise<Buffer | undefined> =>
  path === null ? Promise.resolve(undefined) : readFile(path);

/** Returns the TLS options of a link; undefined: no TLS. Rejects if a file is unreadable. */
export async function tlsOptions(tls: RedisTls | null): Promise<ConnectionOptions | undefined> {
  if (tls === null) return undefined;
  const [ca, cert, key] = await Promise.all([
    read(tls.ca_path),
    read(tls.client_cert_path),
    read(tls.client_key_path),
  ]);
  return {
    rejectUnauthorized: !tls.accept_invalid_certs,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
