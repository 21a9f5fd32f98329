import { type App, BrokenApp } from '@carillon/app-registry';
import type { Principal } from '../guards/principals.js';
import type { AppSource } from '../tools/service-tools.js';

const PAGE = 500;
/** Limit of apps searched for a prefix. */
const MAX_LOOKED_AT = 10_000;

/** App of a call: found; unavailable to this principal (also missing or disabled); or not named. */
export type FoundApp =
  | { readonly kind: 'found'; readonly app: App }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'unnamed' };

/** Apps of a principal. Checked at each call, so changes of an app apply immediately. */
export class PrincipalApps {
  constructor(private readonly apps: AppSource) {}

  async find(principal: Principal, named: string | null): Promise<FoundApp> {
    const id = named ?? (await this.#onlyOne(principal));
    if (id === null) return { kind: 'unnamed' };
    // Looked up for every principal, so that a foreign app takes as long as a missing one.
    const app = await this.apps.findById(id);
    const isOwn = principal.apps === null || principal.apps.has(id);
    return isOwn && app?.enabled === true ? { kind: 'found', app } : { kind: 'forbidden' };
  }

  /** Whether the app may be left out. */
  async #onlyOne({ apps }: Principal): Promise<string | null> {
    if (apps !== null) return apps.size === 1 ? ([...apps][0] ?? null) : null;
    const { apps: listed } = await this.apps.list({ limit: 2, cursor: null });
    const [only] = listed;
    return listed.length === 1 && only !== undefined && !(only instanceof BrokenApp) ? only.id : null;
  }

  /** Ids that begin so, sorted. */
  async startingWith({ apps }: Principal, prefix: string): Promise<readonly string[]> {
    const ids = apps === null ? await this.#all() : [...apps];
    return ids.filter((id) => id.startsWith(prefix)).sort();
  }

  async #all(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = null; ids.length < MAX_LOOKED_AT;) {
      const from: string | null = cursor;
      const { apps, next } = await this.apps.list({ limit: PAGE, cursor: from });
      ids.push(...apps.map(({ id }) => id));
      if (next === null) break;
      cursor = next;
    }
    return ids;
  }
}
