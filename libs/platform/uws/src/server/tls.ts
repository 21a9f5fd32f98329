import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { AppOptions } from 'uWebSockets.js';

/** PEM files of the TLS listener. TLS 1.2 is the oldest version spoken. */
export interface TlsFiles {
  readonly certPath: string;
  readonly keyPath: string;
  /** Opens an encrypted key. Never logged. */
  readonly passphrase?: string;
  /** Authorities whose client certificates are verified when a client sends one. */
  readonly caPath?: string;
}

/**
 * Cipher suites of TLS 1.2: forward secrecy and authenticated encryption only, no CBC. TLS 1.3 has no other ones and is not affected.
 */
const TLS_1_2_CIPHERS = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']
  .flatMap((cipher) => [`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`])
  .join(':');

function pem(what: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new Error(`TLS ${what} ${path} cannot be read (${code})`, { cause: error });
  }
}

/**
 * Verifies the files with Node's TLS, because the native library reports no reason, and returns the native options.
 * @throws Error that names the file, or says that certificate, key and passphrase do not match
 */
export function nativeTlsOptions(files: TlsFiles): AppOptions {
  const { passphrase, caPath } = files;
  const cert = pem('certificate', files.certPath);
  const key = pem('key', files.keyPath);
  const ca = caPath === undefined ? undefined : pem('authority', caPath);
  try {
    createSecureContext({ cert, key, passphrase, ca });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`TLS certificate ${files.certPath} and key ${files.keyPath} are not usable: ${reason}`, {
      cause: error,
    });
  }
  return {
    cert_file_name: files.certPath,
    key_file_name: files.keyPath,
    ssl_ciphers: TLS_1_2_CIPHERS,
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(caPath === undefined ? {} : { ca_file_name: caPath }),
  };
}
