// Fails when a room imports what it may not, see rules.js for the arrows of the house, or has a second word for
// something, see words.js.
// With --fix, first writes every room's project references as its imports need them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../run/workspace.js';
import { readRooms } from './rooms.js';
import { neededReferences, problems } from './rules.js';
import { idleProblems } from './idle.js';
import { luaProblems } from './lua.js';
import { tableProblems } from './tables.js';
import { wordProblems } from './words.js';

function writeReferences(rooms) {
  for (const room of rooms.filter(({ compiled }) => compiled)) {
    const path = join(root, room.folder, 'tsconfig.json');
    const config = JSON.parse(readFileSync(path, 'utf8'));
    const references = neededReferences(room, rooms).map((folder) => ({
      path: relative(room.folder, folder),
    }));
    writeFileSync(path, `${JSON.stringify({ ...config, references }, null, 2)}\n`);
  }
}

if (process.argv.includes('--fix')) writeReferences(readRooms());
const rooms = readRooms();
const found = [
  ...problems(rooms),
  ...idleProblems(),
  ...wordProblems(rooms),
  ...tableProblems(rooms),
  ...luaProblems(rooms),
];
for (const problem of found) console.error(problem);
console.error(
  found.length === 0
    ? 'arrows: every import goes down, every name has the one word'
    : `arrows: ${found.length} wrong`,
);
process.exit(found.length === 0 ? 0 : 1);
