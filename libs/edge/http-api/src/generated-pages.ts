import { openApiText } from './document/openapi.js';
import { COMMON_ROUTES, LIVE_ROUTES } from './route-table.js';

/** The document of the API, written from the routes and the error table. */
export function generatedPages(): { path: string; content: string }[] {
  return [
    { path: 'docs/reference/openapi.json', content: openApiText({ ...COMMON_ROUTES, ...LIVE_ROUTES }) },
  ];
}
