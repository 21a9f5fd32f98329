import type { CometKeys, CometTransport } from './comet-transport.js';

/** Time for which a replaced connection key still finds its connection: requests with it may be under way. */
const OLD_KEY_MS = 15_000;

/** Comet connections of this process by the hash of their key. Each has one key, for a short time two. */
export class CometConnections implements CometKeys {
  readonly #byKey = new Map<string, CometTransport>();
  readonly #keys = new Map<CometTransport, Set<string>>();

  find(keyHash: string): CometTransport | null {
    return this.#byKey.get(keyHash) ?? null;
  }

  add(keyHash: string, transport: CometTransport): void {
    this.#byKey.set(keyHash, transport);
    const keys = this.#keys.get(transport);
    if (keys === undefined) this.#keys.set(transport, new Set([keyHash]));
    else keys.add(keyHash);
  }

  /** The connection has another key; the ones before are valid for a short time. */
  renew(keyHash: string, transport: CometTransport): void {
    const old = [...(this.#keys.get(transport) ?? [])];
    this.add(keyHash, transport);
    setTimeout(() => {
      for (const key of old) this.#drop(key, transport);
    }, OLD_KEY_MS).unref();
  }

  remove(transport: CometTransport): void {
    for (const key of this.#keys.get(transport) ?? []) this.#drop(key, transport);
    this.#keys.delete(transport);
  }

  #drop(keyHash: string, transport: CometTransport): void {
    if (this.#byKey.get(keyHash) === transport) this.#byKey.delete(keyHash);
    this.#keys.get(transport)?.delete(keyHash);
  }
}
