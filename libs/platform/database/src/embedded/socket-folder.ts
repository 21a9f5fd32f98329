import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { answers } from './folder.js';

/** Socket name expected by PostgreSQL clients. */
const SOCKET = '.s.PGSQL.5432';
/** File beside the lock of the data with the socket path of its holder. */
const NOTE = 'lock.socket';
const NAME = /^carillon-[0-9a-f]{8}-[0-9a-f]{4}$/;

/** Returns an unused path. */
export const newSocketFolder = (): string => join(tmpdir(), `carillon-${randomUUID().slice(0, 13)}`);

export const socketIn = (folder: string): string => join(folder, SOCKET);

/** Identity of a socket folder: no foreign folder has both. */
interface Noted {
  readonly path: string;
  readonly inode: number;
}

/**
 * Creates the socket folder and records it with the data. A previously recorded one is removed first: it was left by
 * a killed process, since the caller holds the lock of the data.
 */
export async function makeSocketFolder(dataFolder: string, socketFolder: string): Promise<void> {
  const note = join(dataFolder, NOTE);
  const left = await notedIn(note);
  if (left !== null && left.path !== socketFolder) await removeLeft(left);
  await mkdir(socketFolder, { recursive: true, mode: 0o700 });
  const { ino: inode } = await lstat(socketFolder);
  const noted: Noted = { path: socketFolder, inode };
  await writeFile(`${note}.new`, JSON.stringify(noted), { mode: 0o600 });
  await rename(`${note}.new`, note);
}

/** Null: nothing is noted, or nothing that can be read. */
async function notedIn(note: string): Promise<Noted | null> {
  try {
    const { path, inode } = JSON.parse(await readFile(note, 'utf8')) as Partial<Record<keyof Noted, unknown>>;
    return typeof path === 'string' && typeof inode === 'number' ? { path, inode } : null;
  } catch {
    return null;
  }
}

/** Removes a dead socket, and its folder if empty; nothing else. */
async function removeLeft({ path, inode }: Noted): Promise<void> {
  try {
    const found = await lstat(path);
    const isOurs =
      NAME.test(basename(path)) &&
      found.isDirectory() &&
      found.ino === inode &&
      found.uid === process.getuid?.();
    if (!isOurs) return;
    const socket = socketIn(path);
    if (await answers(socket)) return;
    const isSocket = await lstat(socket).then(
      (entry) => entry.isSocket(),
      () => false,
    );
    if (isSocket) await unlink(socket);
    await rmdir(path);
  } catch {
    // Already removed, or contains foreign files.
  }
}
