import { openApiText } from './document/openapi.js';
import { COMPAT_ROUTES } from './routes/routes.js';

/** The document of the API for Ably clients, written from its routes. */
export function generatedPages(): { path: string; content: string }[] {
  return [{ path: 'docs/reference/openapi-ably.json', content: openApiText(COMPAT_ROUTES) }];
}
