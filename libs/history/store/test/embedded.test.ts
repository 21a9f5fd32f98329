import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '@carillon/database';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { conformance } from './conformance.js';
import { addressOf, append, headOf, openEmbedded } from './scene.js';
import { fillAndTrim } from './trimmed.js';

const newFolder = () => mkdtemp(join(tmpdir(), 'embedded-test-'));

/** Processes of the embedded server on a folder. */
function serversOn(folder: string): number[] {
  const listed = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
  return listed
    .split('\n')
    .filter((line) => line.includes('embedded/server.js') && line.includes(folder))
    .map((line) => Number.parseInt(line, 10));
}

conformance('embedded postgres', async () => {
  const folder = await newFolder();
  const { store, close } = await openEmbedded(folder);
  return {
    store,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
});

describe('an embedded store', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await newFolder();
    await (await openEmbedded(folder)).close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('keeps what was written over an orderly stop, and leaves no process', async () => {
    const first = await openEmbedded(folder);
    await append(first.store, addressOf('kept'), [{}, {}]);
    await first.close();
    expect(serversOn(folder)).toEqual([]);
    const second = await openEmbedded(folder);
    expect(await headOf(second.store, addressOf('kept'))).toMatchObject({ nextDeliverySerial: 3 });
    await second.close();
  });

  it('answers a commit before the reads in line when both share the engine', async () => {
    const { database, reads, close } = await openEmbedded(folder);
    const answered: string[] = [];
    const ask = async (of: Database, name: string): Promise<void> => {
      await of.query('select 1');
      answered.push(name);
    };
    const asked = Array.from({ length: 20 }, () => ask(reads, 'read'));
    asked.push(ask(database, 'commit'));
    await Promise.all(asked);
    await close();
    expect(answered.indexOf('commit')).toBeLessThanOrEqual(1);
    expect(answered).toHaveLength(21);
  });

  it('uses the space of trimmed rows again', async () => {
    const { store, database, close } = await openEmbedded(folder);
    const sizes: number[] = [];
    for (let round = 1; round <= 4; round += 1) sizes.push(await fillAndTrim({ store, database }, round));
    await close();
    expect(sizes.at(-1)).toBeLessThan(1.5 * (sizes[0] ?? 0));
  });

  it('is started again when its process is killed, with all that was committed', async () => {
    const { store, close } = await openEmbedded(folder);
    await append(store, addressOf('killed'), [{}, {}, {}]);
    for (const pid of serversOn(folder)) process.kill(pid, 'SIGKILL');
    await expect(append(store, addressOf('killed'), [{}])).rejects.toMatchObject({
      name: 'StoreFailure',
      transient: true,
    });
    await vi.waitFor(() => store.heads([]), { timeout: 20_000, interval: 100 });
    expect(await headOf(store, addressOf('killed'))).toMatchObject({ nextDeliverySerial: 4 });
    await append(store, addressOf('killed'), [{}]);
    await close();
  }, 40_000);

  it('ends with the process that started it, also when that is killed', async () => {
    const program = fileURLToPath(new URL('embedded-owner.js', import.meta.url));
    const owner = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((done) => owner.stdout.once('data', done));
    expect(serversOn(folder)).toHaveLength(1);
    owner.kill('SIGKILL');
    await vi.waitFor(() => expect(serversOn(folder)).toEqual([]), { timeout: 10_000 });
    const { store, close } = await openEmbedded(folder);
    expect(await headOf(store, addressOf('of the owner'))).toMatchObject({ nextDeliverySerial: 2 });
    await close();
  }, 40_000);

  it('does not open a folder that another process has open', async () => {
    const { close } = await openEmbedded(folder);
    await expect(openEmbedded(folder)).rejects.toThrow('in use by another process');
    await close();
  }, 40_000);

  it('does not take a folder with something else in it, or half of a database, for an empty one', async () => {
    const other = await newFolder();
    await writeFile(join(other, 'notes.txt'), 'mine');
    await expect(openEmbedded(other)).rejects.toThrow('is not empty');
    expect(await readdir(other)).toEqual(['notes.txt']);
    await rm(other, { recursive: true });
    const broken = await newFolder();
    await mkdir(join(broken, 'data'));
    await writeFile(join(broken, 'data', 'PG_VERSION'), '18');
    await expect(openEmbedded(broken)).rejects.toThrow(/data in .* is damaged .* cannot be opened/);
    await rm(broken, { recursive: true });
  }, 40_000);

  it('rolls back what a client left behind', async () => {
    const { store, database, close } = await openEmbedded(folder);
    await append(store, addressOf('left'), [{}]);
    await database
      .transaction(async (session) => {
        await session.query(`update service_history_streams set next_delivery_serial = 99`);
        await session.query('select 1 / 0');
      })
      .catch(() => undefined);
    expect(await headOf(store, addressOf('left'))).toMatchObject({ nextDeliverySerial: 2 });
    await close();
  }, 40_000);
});
