import type { App, AppRegistry } from '@carillon/app-registry';
import { type DurableStore, keepsHistory, openNow } from '@carillon/history-store';

/**
 * Opens the store as soon as an app is known that keeps a history of its own, so that its first publish need not wait
 * for that. Nothing happens where the store is open anyway, or where there is none.
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
