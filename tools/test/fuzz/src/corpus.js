import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../corpus/', import.meta.url));

/**
 * @typedef {object} Entry
 * @property {string} name the behaviour the input is about
 * @property {Buffer} bytes
 */

/** The saved inputs of one target, always in the same order. @param {string} target @returns {Entry[]} */
export function readCorpus(target) {
  return readdirSync(`${FOLDER}${target}`)
    .sort()
    .map((file) => ({
      name: file.replace(/\.[a-z]+$/, ''),
      bytes: readFileSync(`${FOLDER}${target}/${file}`),
    }));
}
