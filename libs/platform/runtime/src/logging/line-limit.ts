const WINDOW_MS = 1000;
const MAX_SITES = 1000;

interface Site {
  since: number;
  printed: number;
  suppressed: number;
}

/**
 * Limits lines per second and call site, and counts the suppressed ones. A site is its target and message, so
 * messages must be fixed texts; at most 1000 sites are remembered, oldest evicted first.
 */
export class LineLimit {
  readonly #sites = new Map<string, Site>();

  constructor(private readonly perSecond: number) {}

  /** Null: do not print. Otherwise the number of lines suppressed since the last printed one. */
  admit(site: string, nowMs: number): number | null {
    const known = this.#sites.get(site);
    if (known !== undefined && nowMs - known.since < WINDOW_MS) {
      if (known.printed < this.perSecond) {
        known.printed += 1;
        return 0;
      }
      known.suppressed += 1;
      return null;
    }
    if (known === undefined && this.#sites.size >= MAX_SITES) {
      for (const [oldest] of this.#sites) {
        this.#sites.delete(oldest);
        break;
      }
    }
    this.#sites.set(site, { since: nowMs, printed: 1, suppressed: 0 });
    return known?.suppressed ?? 0;
  }
}
