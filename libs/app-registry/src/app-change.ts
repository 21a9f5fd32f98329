import type { App } from './app.js';
import type { RegistryLog } from './options.js';

/** An app that this node learned is different now. */
export interface AppChange {
  readonly appId: string;
  /** The current app, possibly disabled; null if it was deleted. */
  readonly app: App | null;
}

export type AppChangeListener = (change: AppChange) => void;

/** The listeners of app changes. */
export class AppChangeListeners {
  readonly #listeners = new Set<AppChangeListener>();

  constructor(private readonly log: RegistryLog) {}

  /** Adds a listener. Returns a function that removes it. */
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
