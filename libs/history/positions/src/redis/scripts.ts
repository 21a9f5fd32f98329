import { type RedisScript, scriptFile } from '@carillon/redis';

const FOLDER = new URL('./scripts/', import.meta.url);

const script = (name: string): RedisScript => scriptFile(FOLDER, name);

// What each guarantees, takes and answers is said at the head of its file.
export const APPEND = script('append');
export const HEAD = script('head');
export const RANGE = script('range');
export const RENEW = script('renew');
