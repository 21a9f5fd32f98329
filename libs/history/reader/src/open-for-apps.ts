import type { App, AppRegistry } from '@carillon/app-registry';
import { type DurableStore, keepsHistory, openNow } from '@carillon/history-store';

/**
 * Opens the store as soon as an app with its own history is known, so that its first publish need not wait. No effect
 * if the store is open or missing.
 */
export function openForApps(
  apps: Pick<AppRegistry, 'onChange' | 'onKnown'>,
  store: DurableStore | undefined,
): void {
  if (store === undefined) return;
  const look = (app: App | null): void => {
    if (app !== null && keepsHistory(app.record)) openNow(store);
  };
  apps.onKnown(look);
  apps.onChange(({ app }) => look(app));
}
