import { provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openRateLimit } from './drivers.js';
import { RateLimitUnavailable } from './failures.js';
import type { RateLimit } from './port.js';

export const RATE_LIMIT = token<RateLimit>('rate limit');

const PART = 'rate limiter';

/**
 * A limiter tied to the life of the process: reached at start, released at the stop. No probe asks for it: requests
 * say themselves when it is gone.
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
 * The configured limiter, for the whole process. Needs `RuntimeModule`. It is there also when `rate_limiter.enabled`
 * is false, which switches limits by address off and not those of apps.
 */
@Global()
@Module({
  providers: [provider(RATE_LIMIT, RUNTIME, openForProcess)],
  exports: [RATE_LIMIT],
})
export class RateLimitModule {}
