import { scriptFile } from '@carillon/redis';
import { SLACK } from '../verdict.js';

const FOLDER = new URL('./scripts/', import.meta.url);

/** Counts a check in a window. The head of each script documents its guarantees, keys, arguments and result. */
export const CHECK = scriptFile(FOLDER, 'check');
/** Takes tokens from a bucket. */
export const TAKE = scriptFile(FOLDER, 'take', { SLACK });
