import { type RedisScript, scriptFile } from '@carillon/redis';

const FOLDER = new URL('./scripts/', import.meta.url);

const script = (name: string): RedisScript => scriptFile(FOLDER, name);

// The head of each script documents its guarantees, keys, arguments and result.
export const COMPARE_AND_REMOVE = script('compare-and-remove');
export const COMPARE_AND_SWAP = script('compare-and-swap');
export const INCREMENT_BY = script('increment-by');
export const READ_ENTRY = script('read-entry');
