// Servers that refuse to run as root, or should not, run as an unprivileged system user instead.
import { chownSync, readFileSync } from 'node:fs';

/** @import { Account } from '../types.js' */

/** The first of the named system users that exists, else `nobody`; null when not root: then nothing need change.
 * @param {string} preferred @returns {Account | null} */
export function accountFor(preferred) {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of [preferred, 'nobody']) {
    const found = lines.find(([user]) => user === name);
    if (found !== undefined) return { name, uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error(`neither the user ${preferred} nor nobody exists, and this server refuses to run as root`);
}

/** Gives a folder to the account. @param {string} path @param {Account | null} account */
export function give(path, account) {
  if (account !== null) chownSync(path, account.uid, account.gid);
}
