import { installationId, INSTALLATION_PREFIX } from '@carillon/cache';
import type { Redis } from 'ioredis';
import type { DoctorContext } from './context.js';
import type { Report } from './result.js';

const SCAN_COUNT = '500';
const MAX_SCANS = 200;
const MAX_NODES = 100;

interface Mark {
  readonly installation: string;
  readonly node_id: string;
  readonly host: string;
}

/** Looks for live processes of another installation on the key prefix. */
export async function checkOwner(
  { loaded: { config } }: DoctorContext,
  client: Redis,
  report: Report,
): Promise<void> {
  const prefix = `${config.database.redis.key_prefix}${config.cache.redis.prefix}`;
  const own = installationId(config);
  const others = (await marksAt(client, prefix)).filter(({ installation }) => installation !== own);
  const setting = 'database.redis.key_prefix';
  if (others.length === 0) {
    report({
      id: 'prefix.owner',
      status: 'ok',
      setting,
      message: `no other installation uses the prefix "${prefix}"`,
    });
    return;
  }
  const nodes = others.map(({ node_id: node, host }) => `${node} on ${host}`);
  report({
    id: 'prefix.owner',
    status: 'error',
    setting,
    message: `another installation is alive on the prefix "${prefix}": ${nodes.slice(0, 5).join(', ')}`,
    cure: `give each installation its own ${setting}`,
    facts: {
      prefix,
      setting,
      own,
      installations: [...new Set(others.map(({ installation }) => installation))],
      nodes: others.map(({ node_id: node }) => node),
      hosts: [...new Set(others.map(({ host }) => host))],
    },
  });
}

async function marksAt(client: Redis, prefix: string): Promise<readonly Mark[]> {
  const pattern = `${prefix}${INSTALLATION_PREFIX}`.replaceAll(/[*?[\]\\^]/g, String.raw`\$&`);
  const names = new Set<string>();
  let cursor = '0';
  for (let scans = 0; scans < MAX_SCANS && names.size < MAX_NODES; scans += 1) {
    const [next, page] = await client.scan(cursor, 'MATCH', `${pattern}*`, 'COUNT', SCAN_COUNT);
    for (const name of page) names.add(name);
    cursor = next;
    if (cursor === '0') break;
  }
  const marks = await Promise.all(
    [...names].map(async (name) =>
      markOf(name.slice(prefix.length + INSTALLATION_PREFIX.length), await client.get(name)),
    ),
  );
  return marks.filter((mark) => mark !== null);
}

/** Null: it has expired, or is not a mark. */
function markOf(name: string, value: string | null): Mark | null {
  try {
    const { node_id: node, host } = JSON.parse(value ?? '') as Record<string, unknown>;
    const [installation = ''] = name.split(':');
    return { installation, node_id: String(node), host: String(host) };
  } catch {
    return null;
  }
}
