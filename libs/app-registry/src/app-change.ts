import type { App } from './app.js';
import type { RegistryLog } from './options.js';

/** An app that this node learned is different now. */
export interface AppChange {
  readonly appId: string;
  /** As it is now, perhaps disabled; null when it was deleted. */
  readonly app: App | null;
}

export type AppChangeListener = (change: AppChange) => void;

/** Those who want to know when an app changes. */
export class AppChangeListeners {
  readonly #listeners = new Set<AppChangeListener>();

  constructor(private readonly log: RegistryLog) {}

  /** Returns what ends it. */
  add(listener: AppChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** One listener that throws does not keep the others from hearing. */
  tell(change: AppChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.log('error', 'a listener to app changes failed', { app_id: change.appId, error });
      }
    }
  }
}
