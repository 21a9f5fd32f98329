import { readFileSync } from 'node:fs';
import { APP_MANAGER_DRIVERS } from '@carillon/app-registry';
import { CACHE_DRIVERS } from '@carillon/cache';
import { BROKER_DRIVERS } from '@carillon/broker';
import { HISTORY_BACKENDS } from '@carillon/history-store';
import { PUSH_STORES } from '@carillon/push-store';
import { QUEUE_DRIVERS } from '@carillon/queue';
import { RATE_LIMITER_DRIVERS } from '@carillon/rate-limit';
import { expect, it } from 'vitest';

const PAGE = new URL('../../../../docs/operations.md', import.meta.url);
const ROW = /^\| `([\w.]+)` \| ((?:`[\w-]+` ?)+)\|$/gm;

/** The rows of the section, by setting. */
function told(): Record<string, readonly string[]> {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## Backends of this build');
  const [own = ''] = section.split('\n## ');
  const rows = [...own.matchAll(ROW)].map(([, setting = '', values = '']) => {
    return [setting, [...values.matchAll(/`([\w-]+)`/g)].map(([, value = '']) => value).sort()] as const;
  });
  return Object.fromEntries(rows);
}

it('the page of operators names every backend that starts, and no other', () => {
  expect(told()).toEqual({
    'adapter.driver': BROKER_DRIVERS.toSorted(),
    'app_manager.driver': APP_MANAGER_DRIVERS.toSorted(),
    'cache.driver': CACHE_DRIVERS.toSorted(),
    'history.backend': HISTORY_BACKENDS.toSorted(),
    // A push that waits nowhere is none: its setting has no such value.
    'push.queue_driver': QUEUE_DRIVERS.filter((one) => one !== 'none').toSorted(),
    'push.storage_driver': PUSH_STORES.toSorted(),
    'queue.driver': QUEUE_DRIVERS.toSorted(),
    'rate_limiter.driver': RATE_LIMITER_DRIVERS.toSorted(),
  });
});
