import { createServer, type Server, type Socket } from 'node:net';
import { type ClientRequest, RequestReader } from './requests.js';

/** What answers requests, one at a time. */
export interface Engine {
  run(request: Uint8Array): Promise<Uint8Array>;
  /** Makes it as it was before the client that has gone. */
  reset(): Promise<void>;
}

/** Connections that wait while one is served; more are closed. */
const MAX_WAITING = 16;

/** Serves one client after another: the engine knows one session only, so each has it to itself until it goes. */
export function serveInTurns(engine: Engine): Server {
  let turn: Promise<void> = Promise.resolve();
  let waiting = 0;
  return createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    if (waiting >= MAX_WAITING) {
      socket.destroy();
      return;
    }
    waiting += 1;
    turn = turn.then(async () => {
      waiting -= 1;
      await serveOne(engine, socket);
      await engine.reset();
    });
  });
}

/** Resolves when the client has gone. */
function serveOne(engine: Engine, socket: Socket): Promise<void> {
  return new Promise((done) => {
    const reader = new RequestReader();
    let work = Promise.resolve();
    const answer = async (request: ClientRequest): Promise<void> => {
      if (request.kind === 'end') socket.end();
      else socket.write(request.kind === 'encryption' ? 'N' : await engine.run(request.bytes));
    };
    const give = (request: ClientRequest): void => {
      work = work
        .then(() => (socket.destroyed ? undefined : answer(request)))
        .catch(() => void socket.destroy());
    };
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const request of reader.push(chunk)) give(request);
      } catch {
        socket.destroy();
      }
    });
    const gone = (): void => void work.then(done);
    if (socket.destroyed) gone();
    else socket.once('close', gone).resume();
  });
}
