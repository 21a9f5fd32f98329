// Finds programs the machine already has.
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Every existing path the pattern stands for, the highest version first. @param {string} pattern @returns {string[]} */
function expand(pattern) {
  const star = pattern.indexOf('*');
  if (star === -1) return [pattern];
  const start = pattern.lastIndexOf('/', star);
  const next = pattern.indexOf('/', star);
  const [before = '', after = ''] = pattern.slice(start + 1, next).split('*');
  try {
    return readdirSync(pattern.slice(0, start))
      .filter((name) => name.startsWith(before) && name.endsWith(after))
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((name) => pattern.slice(0, start + 1) + name + pattern.slice(next));
  } catch {
    return [];
  }
}

/** The path of the first candidate that exists; null when none does. @param {string[]} candidates @returns {string | null} */
export function findProgram(candidates) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const candidate of candidates) {
    const paths = candidate.includes('/')
      ? expand(candidate)
      : folders.map((folder) => join(folder, candidate));
    const found = paths.find(isProgram);
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * @param {Record<string, string[]>} wanted
 * @returns {{ programs: Record<string, string>, absent: string[] }}
 */
export function findPrograms(wanted) {
  const found = Object.entries(wanted).map(([name, candidates]) => ({
    name,
    candidates,
    path: findProgram(candidates),
  }));
  return {
    programs: Object.fromEntries(found.flatMap(({ name, path }) => (path === null ? [] : [[name, path]]))),
    absent: found.filter(({ path }) => path === null).map(({ candidates }) => candidates[0] ?? ''),
  };
}
