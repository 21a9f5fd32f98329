import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A self-signed certificate for localhost, made for these tests; it protects nothing. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUMuuiT4MIvaUsU1btut6+YXssobcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEwMTIxMFoYDzIxMjYxMDI4
MTAxMjEwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAREQjjQtD1ZGNpr9EZibvkvdzY72i8Qi5s/569toZcp/+/sYGn/0SOS
TQvsBilHeFsbKPEns1HemHfMFML5SMoIo28wbTAdBgNVHQ4EFgQUZM21N8jNxBib
a6AEi+8Js+7NTe8wHwYDVR0jBBgwFoAUZM21N8jNxBiba6AEi+8Js+7NTe8wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgM5GQwgY2az9VtNDpRxagFO5OMxfi1x48ryArsbD6ng8CIQDH
LbsOY6t+Q+3AEwJJr+vLszXwsutYGYyyTku+5nAh5w==
-----END CERTIFICATE-----
`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqBaWIY3LODwDfE3C
Nj8JDKameOfxEMu8aqk8UsiReLqhRANCAAREQjjQtD1ZGNpr9EZibvkvdzY72i8Q
i5s/569toZcp/+/sYGn/0SOSTQvsBilHeFsbKPEns1HemHfMFML5SMoI
-----END PRIVATE KEY-----
`;

/** The same key, encrypted with {@link PASSPHRASE}. */
const ENCRYPTED_KEY = `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,5E2AF0F0B69D6644EE9BD676F722D4F0

8lJGWebNnMzyV0njst5ODOqYytc+mhnY8g4gxWHiNop02RTJdseUNSr6HzHUM3jT
Q/xu/oKPLH9Z1nB7gjoXy4HKDICKVN6AQn1QuIryXarUGly7X0IkBwauZ7qB8MU8
Fd/tIHKjRuzDHs7IZjXgIbT+nJk+hwdf3UfEguA7UYs=
-----END EC PRIVATE KEY-----
`;

export const PASSPHRASE = 'open-sesame';

/** The files in a folder of their own. */
export function writeTlsFiles(): {
  readonly certPath: string;
  readonly keyPath: string;
  readonly encryptedKeyPath: string;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'));
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  return {
    certPath: write('cert.pem', CERTIFICATE),
    keyPath: write('key.pem', KEY),
    encryptedKeyPath: write('encrypted-key.pem', ENCRYPTED_KEY),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
