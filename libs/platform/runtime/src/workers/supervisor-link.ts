import type { Reloads } from '../reload/reloads.js';
import type { Shutdown } from '../shutdown/shutdown.js';
import { isOrder, WORKER_VARIABLE, type WorkerKind, type WorkerNews } from './messages.js';

export interface FollowingParts {
  readonly shutdown: Shutdown;
  readonly reloads: Pick<Reloads, 'reload'>;
}

/** A worker's way to the process that started it. */
export interface SupervisorLink {
  readonly kind: WorkerKind;
  /** Reports that this worker serves. */
  ready(): void;
  /**
   * Starts to follow orders. The supervisor's death is an order too: this worker could neither be restarted nor
   * stopped by it, so it stops in order and releases the port.
   */
  follow(parts: FollowingParts, port: SharedPort): void;
}

/** The main port of a worker, shared with its siblings. */
export interface SharedPort {
  /** Stops accepting connections; open ones remain. */
  leavePort(): void;
  /** Called once every worker that listens on the port serves. */
  allServe(): void;
}

/** Null in a process that is no worker. */
export function supervisorLink(): SupervisorLink | null {
  const kind = process.env[WORKER_VARIABLE];
  if (process.channel === undefined || (kind !== 'first' && kind !== 'replacement')) return null;
  return { kind, ready: () => tell('ready'), follow };
}

/** Whether other processes of one supervisor listen on the ports of this one. */
export const sharesPorts = (): boolean => supervisorLink() !== null;

function follow({ shutdown, reloads }: FollowingParts, port: SharedPort): void {
  const abandoned = (): void => {
    port.leavePort();
    void shutdown.stop('the supervisor is gone');
  };
  shutdown.onShutdown('drain', 'word to the supervisor', () => tell('draining'));
  process.on('message', (message) => {
    if (!isOrder(message)) return;
    if (message === 'leave the port') port.leavePort();
    else if (message === 'all serve') port.allServe();
    else if (message === 'read again') reloads.reload();
    else shutdown.signal(message.stop, 'supervisor');
  });
  process.on('disconnect', abandoned);
  if (!process.connected) abandoned();
}

/** A supervisor that is gone needs no news. */
function tell(news: WorkerNews): void {
  if (process.connected) process.send?.(news, undefined, undefined, () => undefined);
}
