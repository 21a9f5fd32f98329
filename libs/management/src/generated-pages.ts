import { managementDocument } from './document/openapi.js';
import type { Route } from './routes/route.js';
import { ROUTES } from './routes/table.js';

/** The reference of the routes and their OpenAPI document, written from the route table. */
export function generatedPages(): { path: string; content: string }[] {
  const document = managementDocument(ROUTES, '1');
  return [
    { path: 'docs/reference/management-api.md', content: reference() },
    { path: 'docs/reference/openapi-management.json', content: `${JSON.stringify(document, null, 2)}\n` },
  ];
}

const reference = (): string =>
  [
    '# Management API',
    '',
    'Generated from `libs/management/src/routes`; do not edit. Paths are below `/manage/v1`. Scope: the scope that a',
    'token needs. Apps: `app` needs a token that lists the app, `all` a token for `*`, `visible` shows the apps of the',
    'token only. `openapi-management.json` describes parameters, bodies and errors.',
    '',
    '| method | path | scope | apps | purpose | audited as |',
    '|---|---|---|---|---|---|',
    ...ROUTES.map(row),
    '',
  ].join('\n');

function row({ method, path, scope, app, summary, action, query }: Route): string {
  const names = Object.keys(query);
  const parameters = names.length === 0 ? '' : `. Query: ${names.map((name) => `\`${name}\``).join(', ')}`;
  const audited = action === null ? '–' : typeof action === 'string' ? `\`${action}\`` : 'payload reads';
  const shown = path.replaceAll(/:([a-z_]+)/g, '{$1}');
  return `| ${method} | \`${shown}\` | ${scope ?? '–'} | ${app} | ${summary}${parameters} | ${audited} |`;
}
