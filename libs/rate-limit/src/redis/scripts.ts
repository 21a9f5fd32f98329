import { scriptFile } from '@carillon/redis';
import { SLACK } from '../verdict.js';

const FOLDER = new URL('./scripts/', import.meta.url);

/** Counts a check in a window. What a script guarantees, takes and answers is said at the head of its file. */
export const CHECK = scriptFile(FOLDER, 'check');
/** Takes tokens from a bucket. */
export const TAKE = scriptFile(FOLDER, 'take', { SLACK });
