import { createRequire } from 'node:module';
import type { JsonSchema } from './json-schema.js';

/** Parameters of one OpenAPI document. */
export interface OpenApi {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Prefix of all paths. */
  readonly pathPrefix: string;
  readonly paths: JsonSchema;
  /** Schemas used in several places, by name. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly components: JsonSchema;
  /** Security of all operations, if equal. */
  readonly security?: readonly JsonSchema[];
}

/** An OpenAPI 3.1 document as text. */
export function openApiDocument({ title, description, pathPrefix, tags, schemas, ...rest }: OpenApi): string {
  const { paths, components, security } = rest;
  const document = {
    openapi: '3.1.1',
    info: { title, version: version(), description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: pathPrefix }],
    tags,
    ...(security === undefined ? {} : { security }),
    paths: withReferences(paths, schemas),
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, withReferences(schema, schemas, schema)]),
      ),
      ...(withReferences(components, schemas) as object),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Path in OpenAPI notation, for `/channels/:channel`. */
export const documentPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** The same, with a reference for each named schema but the one being defined. */
function withReferences(value: unknown, schemas: OpenApi['schemas'], defined?: JsonSchema): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const name = Object.keys(schemas).find((one) => schemas[one] === value);
  if (name !== undefined && value !== defined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map((item) => withReferences(item, schemas));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withReferences(item, schemas)]));
}

function version(): string {
  const manifest = createRequire(import.meta.url)('../../../package.json') as { version: string };
  return manifest.version;
}
