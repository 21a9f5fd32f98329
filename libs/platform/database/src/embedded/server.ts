import { rm } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { dataIn, FolderUnusable, keepMade, takeFolder } from './folder.js';
import { type ServerNews, STOP } from './messages.js';
import { makeSocketFolder, socketIn } from './socket-folder.js';
import { serveInTurns } from './turns.js';

/**
 * The program of the embedded server: `server.js <folder of the data> <folder of the socket>`. It runs alone in its
 * process, for a statement holds up everything else in it, and ends with the process that started it.
 */
async function main(folder: string, socketFolder: string): Promise<void> {
  await takeFolder(folder);
  const { data, make } = await dataIn(folder);
  await makeSocketFolder(folder, socketFolder);
  if (make !== null) {
    // Initialising takes much memory that is not released: the next start uses a fresh process.
    await (await open(make)).close();
    await keepMade(make, data);
    await end({ kind: 'made' });
    return;
  }
  const database = await open(data);
  const server = serveInTurns({
    run: (request) => database.runExclusive(() => database.execProtocolRaw(request)),
    reset: async () => {
      if (database.isInTransaction()) await database.exec('rollback');
      await database.exec('discard all');
    },
  });
  const stop = (): void => {
    server.close();
    void database
      .close()
      .then(() => rm(socketFolder, { recursive: true, force: true }))
      .finally(() => process.exit(0));
  };
  process.on('message', (message) => {
    if (message === STOP) stop();
  });
  process.removeListener('disconnect', leave).on('disconnect', stop);
  const path = socketIn(socketFolder);
  await rm(path, { force: true });
  server.listen(path, () => void tell({ kind: 'ready' }));
  if (!process.connected) stop();
}

function open(data: string): Promise<PGlite> {
  return PGlite.create({ dataDir: data }).catch((thrown: unknown) => {
    throw new FolderUnusable(
      `the data in ${process.cwd()}/${data} is damaged or of another version and cannot be opened; put back a copy of ` +
        `the folder, or move it away to begin anew (${reasonOf(thrown)})`,
    );
  });
}

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const tell = (news: ServerNews): Promise<void> =>
  new Promise((done) => {
    if (process.connected) process.send?.(news, undefined, undefined, () => done());
    else done();
  });

async function end(news: ServerNews): Promise<void> {
  await tell(news);
  process.exit(0);
}

const leave = (): void => process.exit(0);

// Terminals and service managers signal the whole process group; this process must outlive those that still write to
// it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', leave);
const [folder = '', socketFolder = ''] = process.argv.slice(2);
main(folder, socketFolder).catch((thrown: unknown) =>
  end({ kind: 'failed', reason: reasonOf(thrown), final: thrown instanceof FolderUnusable }),
);
