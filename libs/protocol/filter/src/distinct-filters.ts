import { DistinctCounts } from './distinct-counts.js';

/** Distinct filters that are evaluated for every message of their channel. */
export interface FilterLimits {
  readonly maxPerChannel: number;
  readonly maxPerApp: number;
}

/** The channel or pattern of a subscription. */
export interface FilterPlace {
  readonly appId: string;
  readonly channel: string;
}

/** A filter that counts until it is released; or the reason of the refusal, in words for the client. */
export type CountedFilter =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly reason: string };

/** Counts the distinct filters in use per channel and app, and refuses one beyond the limits. */
export class DistinctFilters {
  readonly #counts = new DistinctCounts();

  constructor(
    private readonly limits: FilterLimits,
    /** Remedy for a refused client. */
    private readonly remedy: string,
  ) {}

  /** Counts a filter, by a text that equal filters have in common. `release` has an effect once. */
  hold(key: string, place: FilterPlace): CountedFilter {
    const scopes = this.#scopesOf(place);
    for (const { scope, of, most, setting } of scopes) {
      if (this.#counts.has(scope, key) || this.#counts.of(scope) < most) continue;
      const reason = `${of} has ${most} distinct filters already (${setting}); ${this.remedy}`;
      return { ok: false, reason };
    }
    for (const { scope } of scopes) this.#counts.add(scope, key);
    let isHeld = true;
    const release = (): void => {
      if (isHeld) for (const { scope } of scopes) this.#counts.remove(scope, key);
      isHeld = false;
    };
    return { ok: true, release };
  }

  #scopesOf({ appId, channel }: FilterPlace) {
    const { maxPerChannel, maxPerApp } = this.limits;
    return [
      {
        scope: JSON.stringify([appId, channel]),
        of: `Channel "${channel}"`,
        most: maxPerChannel,
        setting: 'tag_filtering.max_filters_per_channel',
      },
      {
        scope: JSON.stringify([appId]),
        of: `App "${appId}"`,
        most: maxPerApp,
        setting: 'tag_filtering.max_filters_per_app',
      },
    ] as const;
  }
}
