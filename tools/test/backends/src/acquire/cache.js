// Keeps what was fetched once for every later start on this machine.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../state/lock.js';

/** As root, servers run as other users, who may not read root's home. */
function base() {
  const asked = process.env.XDG_CACHE_HOME;
  if (asked !== undefined && asked !== '') return asked;
  return process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache');
}

/**
 * The folder of that name; when it is not there yet, `fetch` fills a folder below the empty one it is given and names
 * it. Of several who ask at once, one fetches; a fetch that fails leaves nothing.
 * @param {string} name @param {(work: string) => Promise<string>} fetch
 */
export async function cached(name, fetch) {
  const cache = join(base(), 'carillon', 'engines');
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return folder;
    const work = mkdtempSync(`${folder}.`);
    try {
      renameSync(await fetch(work), folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
    return folder;
  });
}
