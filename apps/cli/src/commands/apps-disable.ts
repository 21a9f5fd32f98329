import { withApps } from '../apps/open.js';
import { showApp } from '../apps/show.js';
import { confirm } from '../output/confirm.js';
import type { Invocation } from '../program/invocation.js';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const id = values.argument(0);
  await confirm(invocation, 'apps disable', id);
  showApp(terminal, await withApps(invocation, (apps) => apps.setEnabled(id, false)));
}
