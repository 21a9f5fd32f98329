import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ownIdentity } from '../src/processes/identity.js';
import { withLock } from '../src/state/lock.js';

const folder = mkdtempSync(join(tmpdir(), 'carillon-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a lock', () => {
  it('lets one in at a time, each of them in the end, and leaves nothing', async () => {
    const path = join(folder, 'one');
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await Promise.resolve();
      inside--;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(path, work)));
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is given up when the work fails', async () => {
    const path = join(folder, 'failing');
    const failing = withLock(path, () => Promise.reject(new Error('cracked')));
    await expect(failing).rejects.toThrow('cracked');
    expect(await withLock(path, () => 'rung')).toBe('rung');
  });

  it('passes from a holder that no longer lives, even if its number does', async () => {
    const path = join(folder, 'left');
    writeFileSync(path, JSON.stringify({ pid: process.pid, started: 'long ago' }));
    expect(await withLock(path, () => 'rung')).toBe('rung');
  });

  it('says who holds it when that takes too long', async () => {
    const path = join(folder, 'held');
    writeFileSync(path, JSON.stringify(ownIdentity()));
    const waiting = withLock(path, () => 'never', { limitMs: 60 });
    await expect(waiting).rejects.toThrow(`held by process ${process.pid}`);
  });
});
