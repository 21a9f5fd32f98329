import { decodeTable } from '../kernel/decode-table.js';
import type { Findings } from '../kernel/node.js';
import { putAt, valueAt } from '../kernel/walk.js';
import { schema } from '../schema/index.js';
import { Secret } from '../secret.js';
import { variable, type Env } from './environment.js';

type Tree = Record<string, unknown>;

const LIST = 'INGEST_SOURCES_JSON';

/** The variable of the address of a source. */
const sourceUrlVariable = (name: string): string => `INGEST_${name.toUpperCase().replaceAll('-', '_')}_URL`;

/** Replaces the list of sources, then the addresses of single sources. The texts are secret: only their shape is named. */
export function applyIngestSources(tree: Tree, env: Env, findings: Findings): void {
  const row = schema.fields.ingest.fields.sources.rows;
  if (row === null) return;
  const text = variable(env, LIST);
  if (text !== null) {
    const raw = parsedList(text);
    if (raw === null) findings.problems.push({ path: LIST, message: 'not a JSON array' });
    else {
      const decoded = raw.map((one, index) => decodeTable(row, one, `ingest.sources[${index}]`, findings));
      putAt(tree, 'ingest.sources', decoded);
      findings.configured.add('ingest.sources');
    }
  }
  for (const source of valueAt(tree, 'ingest.sources') as readonly Tree[]) {
    const url = variable(env, sourceUrlVariable(String(source['name'])));
    if (url !== null) source['url'] = new Secret(url);
  }
}

function parsedList(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as readonly unknown[]) : null;
  } catch {
    return null;
  }
}
