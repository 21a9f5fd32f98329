import { scriptFile } from '@carillon/redis';

/** Counts a check in a window; what it guarantees, takes and answers is said at the head of the file. */
export const CHECK = scriptFile(new URL('./scripts/', import.meta.url), 'check');
