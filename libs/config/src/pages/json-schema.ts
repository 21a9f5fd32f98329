import type { LeafNode, TableNode } from '../kernel/node.js';
import { schema } from '../schema/index.js';
import { boundsText, plainDefault } from './entries.js';

type Json = Readonly<Record<string, unknown>>;

function leafSchema(node: LeafNode<unknown>): Json {
  const bounds = boundsText(node);
  const description = bounds === '' ? node.meaning : `${node.meaning} (${bounds})`;
  const type = node.rows === null ? node.type.jsonSchema : { type: 'array', items: tableSchema(node.rows) };
  const nullable = node.optional || node.derived !== null ? { anyOf: [type, { type: 'null' }] } : type;
  return { ...nullable, default: plainDefault(node), description };
}

function tableSchema(node: TableNode): Json {
  const properties = Object.entries(node.fields).map(([key, field]) => [
    key,
    field.kind === 'table' ? tableSchema(field) : leafSchema(field),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) as Json, additionalProperties: false };
}

/** JSON Schema of the file, for editors; cross-section rules are only checked by the service. */
export function jsonSchema(): string {
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Carillon configuration' };
  return `${JSON.stringify({ ...head, ...tableSchema(schema) }, null, 2)}\n`;
}
