/** The push payload that the service sends to a browser. */
export interface PushPayload {
  readonly notification?: { readonly title?: string; readonly body?: string; readonly image?: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The subset of the service worker API used here. */
interface Worker {
  readonly registration: {
    showNotification(title: string, options: Readonly<Record<string, unknown>>): Promise<void>;
  };
  readonly clients: {
    matchAll(options: Readonly<Record<string, unknown>>): Promise<readonly Page[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: string, listener: (event: never) => void): void;
}

interface Page {
  postMessage(message: unknown, options: object): void;
  focus(): Promise<unknown>;
}

interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}

interface Pushed extends Waiting {
  readonly data: { json(): PushPayload | null } | null;
}

interface Clicked extends Waiting {
  readonly notification: { readonly data?: Readonly<Record<string, unknown>> | null; close(): void };
}

/** The message type that the worker posts to pages. */
export const PUSH_MESSAGE = 'carillon.push';
/** The browser has another address now: pages register again. */
export const PUSH_CHANGED = 'carillon.push.changed';

async function tellPages(worker: Worker, message: object): Promise<readonly Page[]> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const page of pages) page.postMessage(message, {});
  return pages;
}

async function show(worker: Worker, { notification, data = {} }: PushPayload): Promise<void> {
  await tellPages(worker, { type: PUSH_MESSAGE, notification, data });
  // Data-only pushes are posted to pages; browsers require that every push shows a notification.
  const { title = '', body, image } = notification ?? {};
  const options = {
    data,
    ...(body === undefined ? {} : { body }),
    ...(image === undefined ? {} : { image }),
  };
  await worker.registration.showNotification(title, options);
}

async function open(worker: Worker, url: unknown): Promise<void> {
  const [page] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (page !== undefined) await page.focus();
  else await worker.clients.openWindow(typeof url === 'string' ? url : '/');
}

function payloadOf(data: Pushed['data']): PushPayload {
  try {
    const payload: PushPayload | null | undefined = data?.json();
    return payload ?? {};
  } catch {
    return {};
  }
}

/**
 * Shows push notifications, opens the app (or `data.url`) on a click, and notifies pages when the push subscription
 * changes.
 */
export function handlePush(worker: Worker): void {
  worker.addEventListener('push', (event: Pushed) => {
    event.waitUntil(show(worker, payloadOf(event.data)));
  });
  worker.addEventListener('notificationclick', (event: Clicked) => {
    event.notification.close();
    event.waitUntil(open(worker, event.notification.data?.['url']));
  });
  worker.addEventListener('pushsubscriptionchange', (event: Waiting) => {
    event.waitUntil(tellPages(worker, { type: PUSH_CHANGED }));
  });
}
