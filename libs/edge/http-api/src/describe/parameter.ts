import type { JsonSchema } from './json-schema.js';

/** What a route reads of the query or of the headers besides the signature, all of it optional text. */
export interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** A parameter of the query. */
export const queryText = (name: string, description: string): Parameter => ({
  in: 'query',
  name,
  description,
  schema: { type: 'string' },
});

/** A header, by the name that people write. */
export const headerText = (name: string, description: string): Parameter => ({
  in: 'header',
  name,
  description,
  schema: { type: 'string', minLength: 1 },
});
