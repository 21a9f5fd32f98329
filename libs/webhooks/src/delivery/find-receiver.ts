import { AppLookupUnavailable, type App, type AppRegistry } from '@carillon/app-registry';
import type { WebhookEntry } from '@carillon/config';
import { entryKeys } from './entry-key.js';

/** Current receiver of a delivery. */
export interface Receiver {
  readonly app: App;
  readonly entry: WebhookEntry;
}

/** Reason why there is no receiver. */
export type NoReceiver = 'app gone' | 'app disabled' | 'receiver gone';

type Apps = Pick<AppRegistry, 'findById'>;

/** Returns the app of a job; undefined if unknown now. */
export async function findApp(apps: Apps, appId: string): Promise<App | NoReceiver | undefined> {
  try {
    const app = await apps.findById(appId);
    if (app === null) return 'app gone';
    return app.enabled ? app : 'app disabled';
  } catch (error) {
    if (error instanceof AppLookupUnavailable) return undefined;
    throw error;
  }
}

/** Like `findApp`, for one of its receivers. */
export async function findReceiver(
  apps: Apps,
  job: { readonly app_id: string; readonly entry: string },
): Promise<Receiver | NoReceiver | undefined> {
  const app = await findApp(apps, job.app_id);
  if (typeof app !== 'object') return app;
  const entry = entryKeys(app).get(job.entry);
  return entry === undefined ? 'receiver gone' : { app, entry };
}

/** Returns the endpoint: deliveries to one share its concurrency limit in a process. */
export function endpointOf({ url, lambda }: WebhookEntry): string {
  return url === null ? `${lambda?.region ?? ''} ${lambda?.function_name ?? ''}` : new URL(url).host;
}
