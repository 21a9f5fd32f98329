import { createHmac, randomUUID } from 'node:crypto';
import type { Tenant } from '../harness/tenant.js';

/** What Ably clients take for a key. */
export const keyOf = ({ key, secret }: Pick<Tenant, 'key' | 'secret'>): string => `${key}:${secret}`;

/** How a request says which key it is by. */
export const basicOf = (key: Pick<Tenant, 'key' | 'secret'>): string =>
  `Basic ${Buffer.from(keyOf(key)).toString('base64')}`;

/** A signed request for a token. */
export function tokenRequest(
  { key, secret }: { readonly key: string; readonly secret: string },
  parts: Readonly<Record<string, string | number>> = {},
): Record<string, unknown> {
  const body: Record<string, string | number> = {
    timestamp: Date.now(),
    nonce: randomUUID(),
    ...parts,
    keyName: key,
  };
  const names = ['keyName', 'ttl', 'capability', 'clientId', 'timestamp', 'nonce'];
  const text = names.map((name) => `${body[name] ?? ''}\n`).join('');
  return { mac: createHmac('sha256', secret).update(text).digest('base64'), ...body };
}
