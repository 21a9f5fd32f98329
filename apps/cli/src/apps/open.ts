import { managementApi } from '../api/management.js';
import type { Invocation } from '../program/invocation.js';
import type { AppPort } from './app-port.js';
import { ManagedApps } from './managed-apps.js';

/** Runs `work` on the management API, or with `--direct` on the store of the configuration. */
export async function withApps<Result>(
  invocation: Invocation,
  work: (apps: AppPort) => Promise<Result>,
): Promise<Result> {
  const apps = invocation.values.has('direct')
    ? await (await import('./open-direct.js')).openDirect(invocation)
    : new ManagedApps(await managementApi(invocation));
  try {
    return await work(apps);
  } finally {
    await apps.close();
  }
}
