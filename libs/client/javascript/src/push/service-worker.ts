// The service worker of an app that has none of its own: shows notifications, and opens the app when one is clicked.
// An app that has one imports `handlePush` from `@carillon/client/push/handler`.
import { handlePush } from './handler.js';

handlePush(globalThis as unknown as Parameters<typeof handlePush>[0]);
