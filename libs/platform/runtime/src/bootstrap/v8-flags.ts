import { setFlagsFromString } from 'node:v8';
import type { Config } from '@carillon/config';

/** Configuration used here. */
export type V8Settings = Pick<Config, 'runtime'> & {
  readonly http_api: { readonly accept_traffic: Pick<Config['http_api']['accept_traffic'], 'enabled'> };
};

/**
 * Old space may grow to four times the live size before a collection. That is V8's limit for processes that allocate
 * much; for others it collects earlier, down to a third above the live size, so that they are slowed down as often.
 */
const GROWING_PERCENT = 300;

/**
 * Returns every V8 flag set by this service, from section `runtime`; the maximum heap size is unchanged.
 * Pretenuring is disabled: while a process starts and warms up, nearly all objects survive, and V8 concludes that
 * later objects of the same allocation sites will too. It then allocates per-request objects in old space, whose
 * collection takes 20 ms and more about once a second, non-deterministically per start.
 * Memory admission compares resident memory with a limit: uncollected garbage would count as load, so with admission
 * the heap grows by V8's default, unless a number is set.
 */
export function v8Flags({ runtime, http_api: { accept_traffic: admission } }: V8Settings): readonly string[] {
  const percent = runtime.heap_growing_percent ?? (admission.enabled ? 0 : GROWING_PERCENT);
  return [
    ...(runtime.pretenuring ? [] : ['--no-allocation-site-pretenuring']),
    ...(percent === 0 ? [] : [`--heap-growing-percent=${percent}`]),
  ];
}

/** To be called before anything is warm. Gives the flags that were set. */
export function setV8Flags(settings: V8Settings): readonly string[] {
  const flags = v8Flags(settings);
  for (const flag of flags) setFlagsFromString(flag);
  return flags;
}
