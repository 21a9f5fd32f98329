// Fails when a room imports what it may not: see rules.js for the arrows of the house.
import { problems } from './rules.js';
import { readRooms } from './rooms.js';

const found = problems(readRooms());
for (const problem of found) console.error(problem);
console.error(found.length === 0 ? 'arrows: every import goes down' : `arrows: ${found.length} wrong`);
process.exit(found.length === 0 ? 0 : 1);
