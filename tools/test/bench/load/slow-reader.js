import { clientPath } from './client-path.js';
import { RawSocket } from './raw-socket.js';

/** The phase in which the reader does not read. */
export const SLOW_PHASE = 'slow';

/**
 * One subscriber, in the first process, that stops reading when the slow phase starts and reads on when it is over: what
 * the server did to it in the meantime shows only then.
 * @param {import('./model.js').LoadContext} context
 * @returns {import('./model.js').Load}
 */
export function slowReader({ server, share }) {
  /** @type {RawSocket | null} */
  let reader = null;
  return {
    async prepare() {
      if (share.index > 0) return;
      reader = new RawSocket(server, clientPath(server));
      await reader.open();
      await reader.subscribe('bench-0');
    },
    start(_, phase) {
      if (phase.name === SLOW_PHASE) reader?.socket.pause();
    },
    stop() {
      reader?.socket.resume();
    },
    close: async () => reader?.drop(),
    counts: () => ({ slow_received: reader?.messages ?? 0, close_code: reader?.closeCode ?? 0 }),
    problem: () => '',
  };
}
