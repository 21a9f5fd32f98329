import { randomBytes } from 'node:crypto';
import { deriveKey, type DerivedKey, type PushStore, type Sealer } from '@carillon/push-store';

const LABEL = 'device-identity';
const SECRET_BYTES = 32;

/**
 * Keys of the stored hashes of identity tokens: derived from the master keys, or from a random value of the installation
 * where no master key is configured.
 */
export class IdentityKeys {
  readonly #derived: readonly DerivedKey[];
  /** Null until it has been read. */
  #installed: DerivedKey | null = null;

  constructor(
    sealer: Sealer | null,
    private readonly store: Pick<PushStore, 'installationValue'>,
  ) {
    this.#derived = sealer?.derivedKeys(LABEL) ?? [];
  }

  /** Returns the key of new hashes. */
  async current(): Promise<DerivedKey> {
    const [first] = this.#derived;
    const key = first ?? (await this.#ofInstallation(randomBytes(SECRET_BYTES).toString('hex')));
    if (key === null) throw new Error('the push store did not keep the value of the installation');
    return key;
  }

  /** Returns the key of that id, also after a rotation; null if it is unknown. */
  async find(id: string): Promise<DerivedKey | null> {
    const known = this.#derived.find((key) => key.id === id);
    if (known !== undefined) return known;
    const installed = await this.#ofInstallation(null);
    return installed?.id === id ? installed : null;
  }

  async #ofInstallation(proposed: string | null): Promise<DerivedKey | null> {
    if (this.#installed !== null) return this.#installed;
    const secret = await this.store.installationValue(LABEL, proposed);
    if (secret !== null) this.#installed = deriveKey(secret, LABEL);
    return this.#installed;
  }
}
