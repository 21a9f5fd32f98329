import { AppLookupUnavailable, type App, type AppRegistry } from '@carillon/app-registry';
import type { WebhookEntry } from '@carillon/config';
import { entryKeys } from './entry-key.js';

/** Where a delivery goes, as it is right now. */
export interface Receiver {
  readonly app: App;
  readonly entry: WebhookEntry;
}

/** Why there is nobody to deliver to. */
export type NoReceiver = 'app gone' | 'app disabled' | 'receiver gone';

type Apps = Pick<AppRegistry, 'findById'>;

/** The app behind a job; undefined: nobody can tell now. */
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

/** As `findApp`, down to one of its receivers. */
export async function findReceiver(
  apps: Apps,
  job: { readonly app_id: string; readonly entry: string },
): Promise<Receiver | NoReceiver | undefined> {
  const app = await findApp(apps, job.app_id);
  if (typeof app !== 'object') return app;
  const entry = entryKeys(app).get(job.entry);
  return entry === undefined ? 'receiver gone' : { app, entry };
}

/** Deliveries to the same endpoint share what one endpoint may have of a process. */
export function endpointOf({ url, lambda }: WebhookEntry): string {
  return url === null ? `${lambda?.region ?? ''} ${lambda?.function_name ?? ''}` : new URL(url).host;
}
