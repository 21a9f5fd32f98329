import { withApps } from '../apps/open.js';
import { confirm } from '../output/confirm.js';
import type { Invocation } from '../program/invocation.js';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const id = values.argument(0);
  await confirm(invocation, 'apps delete', id);
  await withApps(invocation, (apps) => apps.delete(id));
  terminal.result({ id, deleted: true }, () => terminal.line(`deleted ${id}`));
}
