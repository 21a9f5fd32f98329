import { membersOf } from '../apps/members.js';
import { withApps } from '../apps/open.js';
import { showApp } from '../apps/show.js';
import type { Invocation } from '../program/invocation.js';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const [id] = values.args;
  const key = values.text('key');
  const members = {
    ...(await membersOf(invocation)),
    ...(id === undefined ? {} : { id }),
    ...(key === undefined ? {} : { key }),
  };
  showApp(terminal, await withApps(invocation, (apps) => apps.create(members)));
}
