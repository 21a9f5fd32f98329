import { provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { ReplayUnavailable } from './failures.js';
import { openReplay } from './open.js';
import type { Replay } from './port.js';

export const REPLAY = token<Replay>('replay');

const PART = 'replay';

/** Connects at start if every app has recovery, else at its first use. Not part of the probes. */
async function openForProcess({ config, logging, startup, shutdown }: RuntimeParts): Promise<Replay> {
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
  providers: [provider(REPLAY, RUNTIME, openForProcess)],
  exports: [REPLAY],
})
export class ReplayModule {}
