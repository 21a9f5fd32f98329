import { provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openRateLimit } from './drivers.js';
import { RateLimitUnavailable } from './failures.js';
import type { RateLimit } from './port.js';

export const RATE_LIMIT = token<RateLimit>('rate limit');

const PART = 'rate limiter';

/**
 * Ties a limiter to the life cycle of the process: connected at start, closed at the stop. Not part of the probes:
 * requests report its failure.
 */
async function openForProcess({ config, logging, startup, shutdown }: RuntimeParts): Promise<RateLimit> {
  const log = logging.for('service::rate_limiter');
  const rateLimit = await openRateLimit(config, {
    lost: (reason) => log.warn('connection of the rate limiter lost', { error: reason, retryable: true }),
    restored: () => log.info('connection of the rate limiter is back'),
  });
  startup.needs({
    name: PART,
    connect: async () => {
      const wrong = await rateLimit.health();
      if (wrong !== null) throw new RateLimitUnavailable(wrong);
    },
  });
  shutdown.onShutdown('disconnect', PART, () => rateLimit.close());
  return rateLimit;
}

/**
 * The configured limiter of the process. Needs `RuntimeModule`. Also exists with `rate_limiter.enabled = false`,
 * which disables limits by address but not those of apps.
 */
@Global()
@Module({
  providers: [provider(RATE_LIMIT, RUNTIME, openForProcess)],
  exports: [RATE_LIMIT],
})
export class RateLimitModule {}
