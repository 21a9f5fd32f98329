import { withApps } from '../apps/open.js';
import { showApp } from '../apps/show.js';
import type { Invocation } from '../program/invocation.js';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  showApp(terminal, await withApps(invocation, (apps) => apps.setEnabled(values.argument(0), true)));
}
