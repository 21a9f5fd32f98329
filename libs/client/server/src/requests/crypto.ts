const utf8 = new TextEncoder();

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => utf8.encode(text);

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const base64UrlOf = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Random bytes as text for URLs. */
export const randomText = (bytes: number): string =>
  base64UrlOf(crypto.getRandomValues(new Uint8Array(bytes)));

/** Signs with HMAC-SHA256. Keys are imported once per secret. */
export class Hmac {
  readonly #key: Promise<CryptoKey>;

  constructor(secret: string) {
    this.#key = crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
      'verify',
    ]);
    // A failure is reported by the first use.
    this.#key.catch(() => undefined);
  }

  async sign(data: string | Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.sign('HMAC', await this.#key, bufferOf(data)));
  }

  async hex(data: string | Uint8Array): Promise<string> {
    return hexOf(await this.sign(data));
  }

  /** Compares in constant time. */
  async verifies(data: string | Uint8Array, signature: Uint8Array): Promise<boolean> {
    return crypto.subtle.verify('HMAC', await this.#key, bufferOf(signature), bufferOf(data));
  }
}

/** A copy in a buffer of its own: WebCrypto takes no shared memory. */
const bufferOf = (data: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof data === 'string' ? bytesOf(data) : new Uint8Array(data);

/** Null: not hexadecimal. */
export function bytesOfHex(text: string): Uint8Array | null {
  if (text.length % 2 === 1 || !/^[0-9a-f]*$/i.test(text)) return null;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    parseInt(text.slice(at * 2, at * 2 + 2), 16),
  );
}
