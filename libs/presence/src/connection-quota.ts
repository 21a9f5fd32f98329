/**
 * How many connections an app has, over all processes of the installation, and how many it may have. So many free
 * places let in exactly so many of those who come at the same time, wherever they come. What a dead process had goes
 * with its lease. While the store is away, this process lets in as many as are left of what it last knew of the others.
 */
export interface ConnectionQuota {
  /** True: one more connection of this process is there, until `release`. Never rejects; Infinity: no limit. */
  take(appId: string, limit: number): Promise<boolean>;
  release(appId: string): void;
}
