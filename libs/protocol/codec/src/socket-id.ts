import { randomInt } from 'node:crypto';

const HIGHEST = 10_000_000_000;
const LONGEST = 128;
const SYNTAX = /^\d+\.\d+$/;

/**
 * A new socket id: a number of 1..10^10 and one of 0..10^10 from the system's secure source. There are 10^20 of them, so that among a
 * million sockets the chance of any two being equal is below one in a hundred million; no registry is needed.
 */
export function newSocketId(): string {
  return `${randomInt(1, HIGHEST + 1)}.${randomInt(HIGHEST + 1)}`;
}

/** Whether a text has the form of a socket id. Implies no existence. */
export function isSocketId(text: string): boolean {
  return text.length <= LONGEST && SYNTAX.test(text);
}
