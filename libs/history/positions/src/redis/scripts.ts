import { type RedisScript, scriptFile } from '@carillon/redis';

const FOLDER = new URL('./scripts/', import.meta.url);

const script = (name: string): RedisScript => scriptFile(FOLDER, name);

// The head of each script documents its guarantees, keys, arguments and result.
export const APPEND = script('append');
export const HEAD = script('head');
export const RANGE = script('range');
export const RENEW = script('renew');
