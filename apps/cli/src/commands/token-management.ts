import { createHash } from 'node:crypto';
import type { Invocation } from '../program/invocation.js';
import { grantOf, randomToken, tomlBlock } from '../tokens/operator.js';

export async function run({ values, terminal }: Invocation): Promise<void> {
  const { name, scopes, apps } = grantOf(values);
  const token = `cmt_${randomToken()}`;
  const hash = createHash('sha256').update(token).digest('hex');
  const lifeMs = values.durationMs('expires');
  const expiresAt = lifeMs === undefined ? null : new Date(Date.now() + lifeMs).toISOString();
  const members = { name, token_hash: hash, scopes, apps };
  const toml = tomlBlock(
    'management.tokens',
    expiresAt === null ? members : { ...members, expires_at: expiresAt },
  );
  terminal.result({ token, ...members, expires_at: expiresAt, toml }, () => {
    terminal.line(token);
    terminal.note(`add to the configuration:\n${toml}`);
  });
}
