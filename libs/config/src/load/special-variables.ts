import { decodeTable } from '../kernel/decode-table.js';
import { items } from '../kernel/collections.js';
import type { Findings } from '../kernel/node.js';
import { putAt, valueAt } from '../kernel/walk.js';
import { schema } from '../schema/index.js';
import { defaultApps } from './default-app.js';
import { variable, type Env } from './environment.js';
import { applyIngestSources } from './ingest-sources.js';

type Tree = Record<string, unknown>;

function appendMcpToken(tree: Tree, env: Env, findings: Findings): void {
  const token = variable(env, 'MCP_TOKEN');
  const row = schema.fields.mcp.fields.tokens.rows;
  if (token === null || row === null) return;
  const tokens = valueAt(tree, 'mcp.tokens') as readonly unknown[];
  const raw = {
    name: variable(env, 'MCP_TOKEN_NAME') ?? 'env',
    token,
    scopes: items(variable(env, 'MCP_TOKEN_SCOPES') ?? 'read,write'),
    apps: items(variable(env, 'MCP_TOKEN_APPS') ?? '*'),
  };
  const added = decodeTable(row, raw, `mcp.tokens[${tokens.length}]`, findings);
  putAt(tree, 'mcp.tokens', [...tokens, added]);
  findings.configured.add('mcp.tokens');
}

function appendOperatorToken(tree: Tree, env: Env, findings: Findings): void {
  const hash = variable(env, 'MANAGEMENT_TOKEN_HASH');
  const row = schema.fields.management.fields.tokens.rows;
  if (hash === null || row === null) return;
  const tokens = valueAt(tree, 'management.tokens') as readonly unknown[];
  const raw = {
    name: variable(env, 'MANAGEMENT_TOKEN_NAME') ?? 'env',
    token_hash: hash,
    scopes: items(variable(env, 'MANAGEMENT_TOKEN_SCOPES') ?? 'read'),
    apps: items(variable(env, 'MANAGEMENT_TOKEN_APPS') ?? '*'),
  };
  const added = decodeTable(row, raw, `management.tokens[${tokens.length}]`, findings);
  putAt(tree, 'management.tokens', [...tokens, added]);
  findings.configured.add('management.tokens');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The variable's text is secret: only its shape is ever talked about. */
function replaceCompatKeys(tree: Tree, env: Env, findings: Findings): void {
  const text = variable(env, 'SERVICE_COMPAT_KEYS_JSON');
  if (text === null) return;
  const raw = parsedJson(text);
  if (!Array.isArray(raw)) {
    findings.problems.push({ path: 'SERVICE_COMPAT_KEYS_JSON', message: 'not a JSON array' });
    return;
  }
  const decoded = schema.fields.compat.fields.keys.type.decode(raw, 'compat.keys', findings);
  if (decoded === null) return;
  putAt(tree, 'compat.keys', decoded.value);
  findings.configured.add('compat.keys');
}

function replaceApps(tree: Tree, env: Env, findings: Findings): void {
  const apps = defaultApps(env, findings);
  if (apps === null) return;
  putAt(tree, 'app_manager.array.apps', apps);
  findings.configured.add('app_manager.array.apps');
}

/** The variables that are more than one value for one setting. */
export function applySpecialVariables(tree: Tree, env: Env, findings: Findings): void {
  replaceApps(tree, env, findings);
  appendMcpToken(tree, env, findings);
  appendOperatorToken(tree, env, findings);
  replaceCompatKeys(tree, env, findings);
  applyIngestSources(tree, env, findings);
}
