import { appsPage } from './pages/apps-page.js';
import { driversPage } from './pages/drivers-page.js';
import { exampleEnv } from './pages/example-env.js';
import { exampleToml } from './pages/example-toml.js';
import { jsonSchema } from './pages/json-schema.js';
import { referencePage } from './pages/reference.js';

/** Everything that is written from the schema. */
export function generatedPages(): { path: string; content: string }[] {
  return [
    { path: 'docs/reference/apps.md', content: appsPage() },
    { path: 'docs/reference/configuration.md', content: referencePage() },
    { path: 'docs/reference/drivers.md', content: driversPage() },
    { path: 'docs/reference/config.schema.json', content: jsonSchema() },
    { path: 'config/config.example.toml', content: exampleToml() },
    { path: '.env.example', content: exampleEnv() },
  ];
}
