import { DESCRIPTIONS } from '@carillon/api-operations';
import { openApiText } from './document/openapi.js';
import { routesOf } from './routes.js';

/** The document of the API, written from the operations and the error table. */
export function generatedPages(): { path: string; content: string }[] {
  return [{ path: 'docs/reference/openapi.json', content: openApiText(routesOf(DESCRIPTIONS)) }];
}
