import { withApps } from '../apps/open.js';
import { confirm } from '../output/confirm.js';
import type { Invocation } from '../program/invocation.js';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const id = values.argument(0);
  const graceMs = values.durationMs('grace');
  await confirm(invocation, 'apps rotate-secret', id);
  const answer = await withApps(invocation, (apps) => apps.rotateSecret(id, graceMs));
  terminal.result(answer, () => {
    for (const [name, value] of Object.entries(answer)) terminal.line(`${name}: ${value ?? '-'}`);
  });
}
