import type { AppLookup } from './app-lookup.js';
import type { BoundedStore } from './bounded-store.js';
import type { RegistryLog } from './options.js';
import type { AppChangePage } from './port.js';

const PAGE = 1000;
/** The page limit of one round; remaining pages are read in the next one. */
const MAX_PAGES = 10;

/** Periodically polls the store for apps written by other programs. */
export class Refresh {
  #mark: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #running = false;

  constructor(
    private readonly store: BoundedStore,
    private readonly lookup: AppLookup,
    private readonly log: RegistryLog,
  ) {}

  /** Sets the mark to now; changes before it are not reported. */
  async begin(): Promise<void> {
    this.#mark = (await this.#page())?.mark ?? null;
  }

  every(intervalMs: number): void {
    this.stop();
    this.#timer = setInterval(() => void this.round(), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects; a failed round is taken up by the next from the same mark. */
  async round(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      await this.lookup.retryUnseen();
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const page = await this.#page();
        if (page === null) return;
        for (const appId of page.appIds) await this.lookup.changedOutside(appId);
        this.#mark = page.mark;
        if (page.appIds.length < PAGE) return;
      }
    } catch (error) {
      this.log('warn', 'the app store could not be asked for changes', { error });
    } finally {
      this.#running = false;
    }
  }

  /** Returns null if the store does not support change polling. */
  async #page(): Promise<AppChangePage | null> {
    return this.store.call(
      'changes',
      async (store) => (await store.changedSince?.(this.#mark, PAGE)) ?? null,
    );
  }
}
