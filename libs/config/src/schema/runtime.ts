import { bool, optional, table, u32 } from '../kernel/index.js';

/** Memory settings of the JavaScript engine of every process. */
export const runtime = table({
  pretenuring: bool({
    default: false,
    env: 'RUNTIME_PRETENURING',
    meaning:
      'Let V8 put new objects among the old ones where it guesses that they stay (`--allocation-site-pretenuring`)',
  }),
  heap_growing_percent: optional(
    u32({
      default: null,
      max: 1000,
      unit: '%',
      env: 'RUNTIME_HEAP_GROWING_PERCENT',
      meaning:
        'How much the old objects may grow before they are collected; 0 = as V8 decides; unset = 300, or as V8 decides with `http_api.accept_traffic`',
    }),
  ),
});
