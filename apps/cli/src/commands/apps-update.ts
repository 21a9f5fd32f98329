import { membersOf } from '../apps/members.js';
import { withApps } from '../apps/open.js';
import { showApp } from '../apps/show.js';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const changes = await membersOf(invocation);
  if (Object.keys(changes).length === 0)
    throw usageError('no change is given', 'give --set, --unset or --file');
  showApp(terminal, await withApps(invocation, (apps) => apps.update(values.argument(0), changes)));
}
