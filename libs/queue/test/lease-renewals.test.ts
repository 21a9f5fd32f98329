import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LeaseRenewals } from '../src/broker/lease-renewals.js';
import type { ClaimedJob } from '../src/job-store.js';

const jobOf = (token: string): ClaimedJob => ({ token }) as ClaimedJob;

describe('LeaseRenewals', () => {
  it('settles a delivery after the renewal in flight, also if that fails', async () => {
    const renewals = new LeaseRenewals();
    const { promise, reject } = deferred();
    let isSettled = false;
    const renewed = renewals.renew([jobOf('a')], () => promise);
    const settled = renewals.settle(jobOf('a'), async () => {
      isSettled = true;
    });
    await nextTurn();
    expect(isSettled).toBe(false);
    reject(new Error('refused'));
    await expect(renewed).rejects.toThrow('refused');
    await settled;
    expect(isSettled).toBe(true);
  });

  it('renews no delivery that is being settled', async () => {
    const renewals = new LeaseRenewals();
    const { promise, resolve } = deferred();
    const settled = renewals.settle(jobOf('a'), () => promise);
    const sent: string[] = [];
    const renew = (): Promise<void> =>
      renewals.renew([jobOf('a'), jobOf('b')], async (jobs) => {
        sent.push(jobs.map(({ token }) => token).join());
      });
    await renew();
    resolve();
    await settled;
    await renew();
    expect(sent).toEqual(['b', 'a,b']);
  });
});

function deferred() {
  const settle: { resolve?: () => void; reject?: (error: Error) => void } = {};
  const promise = new Promise<void>((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return { promise, resolve: () => settle.resolve?.(), reject: (error: Error) => settle.reject?.(error) };
}
