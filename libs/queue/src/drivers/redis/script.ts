import { type RedisScript, scriptFile } from '@carillon/redis';
import type { Reliability } from '../../options.js';
import { type Part, PARTS } from './keys.js';

/** Numeric settings that scripts know by their own names. */
const SETTINGS = [
  'completed_retention',
  'deduplication_ttl_ms',
  'event_retention',
  'failed_retention',
  'lease_duration_ms',
  'max_attempts',
  'retry_base_delay_ms',
  'retry_jitter',
  'retry_max_delay_ms',
  'stalled_batch_size',
] as const satisfies readonly (keyof Reliability)[];

/** One transition of a queue. It runs alone in the server, so nothing happens between its steps. */
export interface QueueScript extends RedisScript {
  /** The keys it touches. */
  readonly parts: readonly Part[];
  /** The numbers before its arguments. */
  readonly settings: readonly (typeof SETTINGS)[number][];
}

const FOLDER = new URL('./scripts/', import.meta.url);

/** Parts have their own names in Lua, with `_` for `-`. */
const inLua = (part: Part): string => (part === 'max-attempts' ? 'own_max' : part.replaceAll('-', '_'));

function known<Name>(found: Name | undefined, name: string): Name {
  if (found === undefined) throw new Error(`a script of the queue asks for ${name}, which nobody has`);
  return found;
}

/** Loads the script of a file, whose head declares its parameters. Throws if a parameter is unknown. */
export function queueScript(name: string): QueueScript {
  const { keys, numbers, ...script } = scriptFile(FOLDER, name);
  return {
    ...script,
    parts: keys.map((key) =>
      known(
        PARTS.find((part) => inLua(part) === key),
        key,
      ),
    ),
    settings: numbers.map((number) =>
      known(
        SETTINGS.find((setting) => setting === number),
        number,
      ),
    ),
  };
}
