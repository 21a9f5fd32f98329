import { setFlagsFromString } from 'node:v8';
import type { Config } from '@carillon/config';

/** What is read of the configuration. */
export type V8Settings = Pick<Config, 'runtime'> & {
  readonly http_api: { readonly accept_traffic: Pick<Config['http_api']['accept_traffic'], 'enabled'> };
};

/**
 * Old objects become four times what was left of them before they are collected. That is as far as V8 goes for a
 * process that makes many of them; the fewer it makes, the sooner V8 collects them, down to a third more than was left,
 * so that one that hardly makes any is slowed down as often.
 */
const GROWING_PERCENT = 300;

/**
 * Every flag of V8 that this service sets, by the `runtime` section; the largest heap stays as it is.
 *
 * Without pretenuring V8 does not guess where objects should live. While a process starts and is warmed up, nearly
 * everything it makes stays, and V8 concludes that whatever is made in the same places of the code later will stay as
 * well: it puts what every request makes straight among the old objects. Those are collected in one go, 20 ms and more
 * about once a second, and in other starts of the same process never: by luck.
 *
 * Memory admission compares resident memory with a limit: garbage that is left lying would be taken for load, so the
 * heap grows as V8 decides there, unless a number is set.
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
