import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const PREFIX = 'envelope:v2:aes256gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const DERIVED_SALT = 'service/push';

/** Encrypted text cannot be decrypted: unknown key, or another context. Contains nothing of it. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}

/** A key for one purpose, with the id that records made with it name. */
export interface DerivedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Derives a key for the purpose `label` from a secret text. Its id depends on the secret alone and does not reveal it. */
export function deriveKey(secret: string, label: string): DerivedKey {
  return derived(masterKey(secret), label);
}

/** Context of encrypted text, without which it cannot be decrypted. */
export type Place = readonly (string | number)[];

/** Encrypts with the master key, and decrypts text of earlier master keys. */
export class Sealer {
  readonly #current: MasterKey;
  readonly #keys: ReadonlyMap<string, MasterKey>;

  constructor(current: string, previous: readonly string[] = []) {
    this.#current = masterKey(current);
    const all = [...previous.map(masterKey), this.#current];
    this.#keys = new Map(all.map((key) => [key.id, key]));
  }

  /** Derives a key for the purpose `label` from each master key; the first belongs to the current one. */
  derivedKeys(label: string): readonly DerivedKey[] {
    const earlier = [...this.#keys.values()].filter(({ id }) => id !== this.#current.id);
    return [this.#current, ...earlier].map((key) => derived(key, label));
  }

  seal(text: string, place: Place): string {
    const { id, bytes } = this.#current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(placeBytes(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [PREFIX, id, nonce.toString('base64url'), sealed.toString('base64url')].join(':');
  }

  /** @throws CannotOpen */
  open(envelope: string, place: Place): string {
    if (!isSealed(envelope)) throw new CannotOpen('not a sealed text');
    const [id = '', nonce = '', content = ''] = envelope.slice(PREFIX.length + 1).split(':');
    const key = this.#keys.get(id);
    if (key === undefined) throw new CannotOpen('sealed with a key that is not known');
    const bytes = Buffer.from(content, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, Buffer.from(nonce, 'base64url'))
        .setAAD(placeBytes(place))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      );
    } catch {
      throw new CannotOpen('sealed for another place, or changed');
    }
  }

  /** Whether one of the keys, now or earlier, is that of this text. */
  knows(envelope: string): boolean {
    return isSealed(envelope) && this.#keys.has(keyIdOf(envelope));
  }

  /** Whether an earlier key sealed it. */
  isOld(envelope: string): boolean {
    return this.knows(envelope) && keyIdOf(envelope) !== this.#current.id;
  }
}

export const isSealed = (text: string): boolean => text.startsWith(`${PREFIX}:`);

const keyIdOf = (envelope: string): string => envelope.slice(PREFIX.length + 1).split(':')[0] ?? '';

interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

function masterKey(text: string): MasterKey {
  const bytes = keyBytes(text.trim());
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}

/** The key itself where the text is one in hex or base64, else one derived from it. */
function keyBytes(text: string): Buffer {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, text.includes('-') || text.includes('_') ? 'base64url' : 'base64');
    if (bytes.length === KEY_BYTES) return bytes;
  }
  return Buffer.from(hkdfSync('sha256', text, 'service/push/credential', 'aes256gcm/v2', KEY_BYTES));
}

const derived = ({ id, bytes }: MasterKey, label: string): DerivedKey => ({
  id,
  bytes: Buffer.from(hkdfSync('sha256', bytes, DERIVED_SALT, label, KEY_BYTES)),
});

const placeBytes = (place: Place): Buffer => Buffer.from(place.join('\0'), 'utf8');
