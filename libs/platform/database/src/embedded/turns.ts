import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type ClientRequest, RequestReader } from './requests.js';

/** Answers requests one at a time. */
export interface Engine {
  run(request: Uint8Array): Promise<Uint8Array>;
  /** Makes it as it was before the client that has gone. */
  reset(): Promise<void>;
}

/** Connections that wait while one is served; more are closed. */
const MAX_WAITING = 16;

/**
 * Serves one client after another: the engine knows one session only, so each has it to itself until it goes. An engine
 * that cannot be reset must not be used again, which is left to be an unhandled rejection: it ends the process.
 */
export function serveInTurns(engine: Engine): Server {
  let turn: Promise<void> = Promise.resolve();
  let waiting = 0;
  const serve = async (before: Promise<void>, socket: Socket): Promise<void> => {
    await before;
    waiting -= 1;
    await serveOne(engine, socket);
    await engine.reset();
  };
  return createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    if (waiting >= MAX_WAITING) {
      socket.destroy();
      return;
    }
    waiting += 1;
    turn = serve(turn, socket);
  });
}

/** Resolves when the client has disconnected and its requests have ended. */
async function serveOne(engine: Engine, socket: Socket): Promise<void> {
  const reader = new RequestReader();
  let work = Promise.resolve();
  const answer = async (before: Promise<void>, request: ClientRequest): Promise<void> => {
    await before;
    if (socket.destroyed) return;
    try {
      if (request.kind === 'end') socket.end();
      else socket.write(request.kind === 'encryption' ? 'N' : await engine.run(request.bytes));
    } catch {
      socket.destroy();
    }
  };
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const request of reader.push(chunk)) work = answer(work, request);
    } catch {
      socket.destroy();
    }
  });
  if (!socket.destroyed) {
    socket.resume();
    await once(socket, 'close').catch(() => undefined);
  }
  await work;
}
