import type { AppItem, AppList } from '../apps/app-port.js';
import { withApps } from '../apps/open.js';
import type { Invocation } from '../program/invocation.js';

const MAX_PAGES = 1000;

export async function run(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  await withApps(invocation, async (apps) => {
    const items: AppItem[] = [];
    let page: AppList | null = null;
    for (let pages = 0; pages < MAX_PAGES && page?.has_more !== false; pages += 1) {
      page = await apps.list(page?.next_cursor ?? null);
      items.push(...page.items);
    }
    const all = { ...page, items, next_cursor: page?.next_cursor ?? null, has_more: page?.has_more ?? false };
    terminal.result(all, () =>
      terminal.table(
        ['id', 'key', 'enabled', 'updated'],
        items.map(({ id, key, enabled, updated_at_ms: ms }) => [
          id,
          key,
          enabled,
          typeof ms === 'number' ? new Date(ms).toISOString() : null,
        ]),
        'no apps',
      ),
    );
  });
}
