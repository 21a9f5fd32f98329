import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, isAbsolute } from 'node:path';
import { ListenError } from './listen-error.js';

/** Path and permissions of a Unix socket. */
export interface UnixSocketPlace {
  /** Absolute. The folder is made (mode 755) when it is missing. */
  readonly path: string;
  /** Permission bits, applied once the socket is bound; 0o660 unless configured. */
  readonly mode: number;
}

/** Limit of a local connection attempt: without an answer the socket is dead. */
const ANSWER_MS = 1000;

function isAnswered(path: string): Promise<boolean> {
  return new Promise((told) => {
    const probe = connect(path);
    const done = (answered: boolean): void => {
      probe.destroy();
      told(answered);
    };
    probe.setTimeout(ANSWER_MS, () => done(false));
    probe.once('connect', () => done(true));
    probe.once('error', () => done(false));
  });
}

/**
 * Prepares the path for binding: creates the folder and removes the socket of a dead process. Other files, and
 * sockets that answer, are kept.
 * @throws ListenError if the path is taken; Error if the platform or the path is not supported
 */
export async function prepareUnixSocket({ path }: UnixSocketPlace): Promise<void> {
  if (process.platform === 'win32') throw new Error('Unix sockets are not supported on this platform');
  if (!isAbsolute(path)) throw new Error(`the Unix socket path must be absolute: ${path}`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket; it is left as it is`);
  if (await isAnswered(path)) throw new ListenError(path, 'EADDRINUSE');
  rmSync(path);
}

/** Gives the bound socket its mode. */
export function openUnixSocket({ path, mode }: UnixSocketPlace): void {
  chmodSync(path, mode);
}

/** Removes the socket's file; a missing one is fine. */
export function removeUnixSocket(path: string): void {
  rmSync(path, { force: true });
}
