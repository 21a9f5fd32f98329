import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSocketFolder, socketIn } from '../src/embedded/socket-folder.js';

const OWNER = fileURLToPath(new URL('embedded-owner.js', import.meta.url));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sockets-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Folders for data and for sockets, and the paths of two sockets' folders. */
async function places() {
  const [data, sockets] = [await newFolder(), await newFolder()];
  return {
    data,
    left: join(sockets, 'carillon-01234567-89ab'),
    next: join(sockets, 'carillon-fedcba98-7654'),
    there: () => readdir(sockets),
  };
}

/** A dead socket, as left by a killed process. */
async function deadSocket(path: string): Promise<void> {
  const listen = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', listen]), 'exit');
  expect((await stat(path)).isSocket()).toBe(true);
}

describe('the folder of the socket', () => {
  it('is removed by the next start on the same data when all processes were killed', async () => {
    const [data, temporary] = [await newFolder(), await newFolder()];
    const start = async () => {
      const owner = spawn(process.execPath, [OWNER, data], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const { pid = 0 } = owner;
      expect(pid).toBeGreaterThan(1);
      const ended = once(owner, 'exit');
      await once(owner.stdout, 'data');
      const kill = async () => {
        if (owner.signalCode === null) process.kill(-pid, 'SIGKILL');
        await ended;
      };
      onTestFinished(kill);
      return kill;
    };
    const killFirst = await start();
    const first = await readdir(temporary);
    expect(first).toHaveLength(1);
    await killFirst();
    expect(await readdir(temporary)).toEqual(first);
    const killSecond = await start();
    const second = await readdir(temporary);
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
    await killSecond();
  }, 60_000);

  it('is kept when it is the same one again', async () => {
    const { data, next, there } = await places();
    await makeSocketFolder(data, next);
    await deadSocket(socketIn(next));
    await makeSocketFolder(data, next);
    expect(await there()).toEqual(['carillon-fedcba98-7654']);
    expect(await readdir(next)).toHaveLength(1);
  });

  it('is left alone while somebody listens in it', async () => {
    const { data, left, next } = await places();
    await makeSocketFolder(data, left);
    const server = createServer().listen(socketIn(left));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await makeSocketFolder(data, next);
    expect(await readdir(left)).toHaveLength(1);
  });

  it('is left alone with something else in it', async () => {
    const { data, left, next } = await places();
    await makeSocketFolder(data, left);
    await deadSocket(socketIn(left));
    await writeFile(join(left, 'notes.txt'), 'mine');
    await makeSocketFolder(data, next);
    expect(await readdir(left)).toContain('notes.txt');
  });

  it('is left alone when it is another one of that name, or only a link to one', async () => {
    const { data, left, next, there } = await places();
    await makeSocketFolder(data, left);
    await mkdir(`${left}-other`);
    await rm(left, { recursive: true });
    await rename(`${left}-other`, left);
    await makeSocketFolder(data, next);
    expect(await there()).toContain('carillon-01234567-89ab');
    await rename(left, `${left}-other`);
    await symlink(`${left}-other`, left);
    const note = join(data, 'lock.socket');
    const { ino: inode } = await stat(left);
    await writeFile(note, JSON.stringify({ path: left, inode }));
    await makeSocketFolder(data, next);
    expect(await there()).toEqual([
      'carillon-01234567-89ab',
      'carillon-01234567-89ab-other',
      'carillon-fedcba98-7654',
    ]);
  });

  it.each(['', '{', 'null', '{"path":"/","inode":2}', '{"path":7,"inode":"x"}'])(
    'is made whatever is noted: %s',
    async (text) => {
      const { data, next } = await places();
      await writeFile(join(data, 'lock.socket'), text);
      await makeSocketFolder(data, next);
      expect((await stat(next)).mode & 0o777).toBe(0o700);
      expect(JSON.parse(await readFile(join(data, 'lock.socket'), 'utf8'))).toMatchObject({ path: next });
    },
  );
});
