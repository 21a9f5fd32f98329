/**
 * Connection limit of an app over all processes. Concurrent requests are admitted exactly up to the limit, on all
 * processes. Connections of a dead process are removed with its lease. While the store is unavailable, this process
 * admits the rest of the limit according to the last known counts of others.
 */
export interface ConnectionQuota {
  /**
   * Resolves with true if one more connection of this process is admitted, until `release`. Never rejects; Infinity:
   * no limit.
   */
  take(appId: string, limit: number): Promise<boolean>;
  release(appId: string): void;
}
