import { type RedisScript, scriptFile } from '@carillon/redis';
import { LEFTOVER } from './operation.js';

const FOLDER = new URL('./scripts/', import.meta.url);

const script = (name: string): RedisScript => scriptFile(FOLDER, name, { LEFTOVER });

// The head of each script documents its guarantees, keys, arguments and result.
export const APPLY = script('apply');
export const BEAT = script('beat');
export const CLAIM = script('claim');
export const LOOK = script('look');
export const NOTE = script('note');
export const REAP = script('reap');
export const RECALL = script('recall');
export const STRIKE_OFF = script('strike-off');
