import { createHash } from 'node:crypto';
import type { Reliability } from '../../options.js';
import type { Part } from './keys.js';

/** A numeric setting that a script knows by its own name. */
export type Setting = Exclude<keyof Reliability, 'worker_prefetch' | 'memory_capacity' | 'max_batch_size'>;

/** One transition of a queue. It runs alone in the server, so nothing happens between its steps. */
export interface QueueScript {
  readonly parts: readonly Part[];
  readonly settings: readonly Setting[];
  readonly lua: string;
  /** What the server calls it once it knows it. */
  readonly sha1: string;
}

export interface QueueScriptSource {
  /** The keys it touches: in Lua by their own names, with `_` for `-`, and `own_max` for `max-attempts`. */
  readonly parts: readonly Part[];
  readonly settings: readonly Setting[];
  /** Functions it uses, each after those it uses itself. */
  readonly uses: readonly string[];
  /** Its other arguments are `arg(1)` and so on. */
  readonly body: string;
}

const local = (part: Part) => (part === 'max-attempts' ? 'own_max' : part.replaceAll('-', '_'));

export function queueScript({ parts, settings, uses, body }: QueueScriptSource): QueueScript {
  const lua = [
    ...parts.map((part, index) => `local ${local(part)} = KEYS[${index + 1}]`),
    ...settings.map((setting, index) => `local ${setting} = tonumber(ARGV[${index + 1}])`),
    `local function arg(n) return ARGV[${settings.length} + n] end`,
    ...uses,
    body,
  ].join('\n');
  return { parts, settings, lua, sha1: createHash('sha1').update(lua).digest('hex') };
}
