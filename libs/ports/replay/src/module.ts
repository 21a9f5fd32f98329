import type { Config } from '@carillon/config';
import {
  CONFIG,
  LOGGING,
  type Logging,
  SHUTDOWN,
  type Shutdown,
  STARTUP,
  type Startup,
} from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { ReplayUnavailable } from './failures.js';
import { openReplay } from './open.js';
import type { Replay } from './port.js';

/** Token of the `Replay`. */
export const REPLAY = Symbol('replay');

const PART = 'replay';

/** Reached at the start where every app has recovery, else when an app first wants it. No probe asks for it. */
async function openForProcess(
  config: Config,
  logging: Logging,
  startup: Startup,
  shutdown: Shutdown,
): Promise<Replay> {
  const log = logging.for('service::recovery');
  const replay = await openReplay(config, {
    lost: (reason) => log.warn('connection to the replay store lost', { error: reason, retryable: true }),
    restored: () => log.info('connection to the replay store is back'),
  });
  if (config.connection_recovery.enabled)
    startup.needs({
      name: PART,
      connect: async () => {
        const wrong = await replay.health();
        if (wrong !== null) throw new ReplayUnavailable(wrong);
      },
    });
  shutdown.onShutdown('disconnect', PART, () => replay.close());
  return replay;
}

/** Positions and replay of sequenced channels, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [{ provide: REPLAY, inject: [CONFIG, LOGGING, STARTUP, SHUTDOWN], useFactory: openForProcess }],
  exports: [REPLAY],
})
export class ReplayModule {}
