import type { Invocation } from '../program/invocation.js';
import { grantOf, randomToken, tomlBlock } from '../tokens/operator.js';

export async function run({ values, terminal }: Invocation): Promise<void> {
  const { name, scopes, apps } = grantOf(values);
  const token = randomToken();
  const toml = tomlBlock('mcp.tokens', { name, token, scopes, apps });
  terminal.result({ token, name, scopes, apps, toml }, () => {
    terminal.line(token);
    terminal.note(`add to the configuration:\n${toml}`);
  });
}
