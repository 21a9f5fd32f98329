import { createDecipheriv, createHash } from 'node:crypto';
import { CompatError } from './compat-error.js';
import { isObject, parseJson } from './json.js';

const MAX_HEADER_BYTES = 4096;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const malformed = (): CompatError => new CompatError(40_144, 'not a token');

/** A token that only the key can read. */
export interface Jwe {
  readonly keyName: string;
  /**
   * Decrypts the content.
   *
   * @throws CompatError 40144 if the secret does not match.
   */
  open(secret: string): string;
}

/** Whether a token has the form of one. */
export const isJwe = (token: string): boolean => token.split('.').length === 5;

/** @throws CompatError 40144 when the text has no such form. */
export function readJwe(token: string): Jwe {
  const [head = '', key = '', iv = '', sealed = '', tag = ''] = token.split('.');
  const header = Buffer.byteLength(head) > MAX_HEADER_BYTES ? null : parseJson(textOf(head).toString());
  if (!isObject(header) || key !== '') throw malformed();
  const { alg, enc, cty, kid, crit, zip } = header;
  // Neither compression nor an extension that must be understood is supported (RFC 7516, 4.1.3 and 4.1.13).
  if (crit !== undefined || zip !== undefined) throw malformed();
  if (alg !== 'dir' || enc !== 'A256GCM' || cty !== 'JWT' || typeof kid !== 'string' || kid === '')
    throw malformed();
  const [nonce, seal] = [textOf(iv), textOf(tag)];
  if (nonce.length !== IV_BYTES || seal.length !== TAG_BYTES) throw malformed();
  return {
    keyName: kid,
    open(secret) {
      const contentKey = createHash('sha256').update(secret).digest();
      const decipher = createDecipheriv('aes-256-gcm', contentKey, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(head));
      decipher.setAuthTag(seal);
      try {
        return Buffer.concat([decipher.update(textOf(sealed)), decipher.final()]).toString();
      } catch {
        throw malformed();
      }
    },
  };
}

const textOf = (part: string): Buffer => Buffer.from(part, 'base64url');
