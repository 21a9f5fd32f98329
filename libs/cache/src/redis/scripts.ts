import { type RedisScript, scriptFile } from '@carillon/redis';

const FOLDER = new URL('./scripts/', import.meta.url);

const script = (name: string): RedisScript => scriptFile(FOLDER, name);

// What each guarantees, takes and answers is said at the head of its file.
export const COMPARE_AND_REMOVE = script('compare-and-remove');
export const COMPARE_AND_SWAP = script('compare-and-swap');
export const INCREMENT_BY = script('increment-by');
export const READ_ENTRY = script('read-entry');
