import type { Config } from '@carillon/config';
import type { RateLimit } from './port.js';

/** What the drivers read of the configuration. */
export type RateLimitConfig = Pick<Config, 'database' | 'rate_limiter'>;

type Open = (config: RateLimitConfig) => Promise<RateLimit>;

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['memory', async () => new (await import('./drivers/memory.js')).MemoryRateLimit()],
  ['none', async () => new (await import('./drivers/none.js')).NoRateLimit()],
]);

/** Values of `rate_limiter.driver` that this build can serve. */
export const RATE_LIMITER_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/** The configured limiter, which connects at its first use. Rejects when this build has no such driver. */
export async function openRateLimit(config: RateLimitConfig): Promise<RateLimit> {
  const { driver } = config.rate_limiter;
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  return open(config);
}
