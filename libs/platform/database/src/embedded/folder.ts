import { existsSync } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

/** A folder whose content must not be touched. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable';
}

const LOCK = 'lock';
const DATA = 'data';
const MAKING = 'making';

/**
 * Makes the folder the working directory of this process and takes its lock, a listening socket that ends with its
 * owner in any case. Names are short because socket paths are limited.
 */
export async function takeFolder(folder: string): Promise<Server> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  process.chdir(folder);
  await refuseOthers(folder);
  const own = `${LOCK}.${process.pid}`;
  await rm(own, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(own, done);
  });
  try {
    while (!(await linked(own))) await removeStale(folder);
    return server;
  } catch (thrown) {
    server.close();
    throw thrown;
  } finally {
    await rm(own, { force: true });
  }
}

async function linked(own: string): Promise<boolean> {
  try {
    await link(own, LOCK);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

/** Moves a lock without an owner out of the way; one that another process put there meanwhile is put back. */
async function removeStale(folder: string): Promise<void> {
  const before = await inodeOf(LOCK);
  if (before === null) return;
  if (await answers(LOCK)) throw new Error(`${folder} is in use by another process`);
  const aside = `${LOCK}.stale.${process.pid}`;
  await rename(LOCK, aside).catch(() => undefined);
  const moved = await inodeOf(aside);
  if (moved !== null && moved !== before) await link(aside, LOCK).catch(() => undefined);
  await rm(aside, { force: true });
}

const inodeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ ino }) => ino,
    () => null,
  );

/** Whether a process listens on the socket. */
export const answers = (path: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });

/**
 * Returns the data folder and the folder in which to create it; null: it exists. A folder with other content is not
 * treated as empty.
 */
export async function dataIn(
  folder: string,
): Promise<{ readonly data: string; readonly make: string | null }> {
  if (existsSync(`${DATA}/PG_VERSION`)) return { data: DATA, make: null };
  await refuseOthers(folder);
  await rm(MAKING, { recursive: true, force: true });
  return { data: DATA, make: MAKING };
}

/** Checked before anything is written, so that a foreign folder is left unchanged. */
async function refuseOthers(folder: string): Promise<void> {
  if (existsSync(`${DATA}/PG_VERSION`)) return;
  const others = (await readdir('.')).filter((name) => name !== MAKING && !/^lock(\.|$)/.test(name));
  if (others.length === 0) return;
  throw new FolderUnusable(`${folder} is not empty and holds no data of this service (${others[0]})`);
}

/** Renames the created data atomically, so that a folder is never half filled. */
export const keepMade = (made: string, data: string): Promise<void> => rename(made, data);
