import { type ManagementApi, managementApi } from '../api/management.js';
import type { Invocation } from '../program/invocation.js';

interface ConnectionPage {
  readonly items: readonly {
    readonly socket_id: string;
    readonly app_id: string;
    readonly node_id: string;
    readonly protocol: string;
    readonly user_id: string | null;
    readonly address: string;
    readonly connected_at_ms: number;
  }[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly partial?: boolean;
  readonly missing_nodes?: readonly string[];
}

export async function run(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const channel = values.text('channel');
  const limit = values.integer('limit', { min: 1, max: 500 });
  const needsApp = channel !== undefined || values.has('app');
  const appId = needsApp ? (await invocation.connection()).appId : undefined;
  const query = {
    app_id: appId,
    user_id: values.text('user'),
    channel,
    limit: limit === undefined ? undefined : String(limit),
  };
  const api = await managementApi(invocation);
  let cursor: string | null = null;
  do {
    signal.throwIfAborted();
    const page: ConnectionPage = await pageAt(api, { ...query, cursor: cursor ?? undefined });
    show(invocation, page);
    cursor = values.has('all') && page.has_more ? page.next_cursor : null;
  } while (cursor !== null);
}

async function pageAt(
  api: ManagementApi,
  query: Readonly<Record<string, string | undefined>>,
): Promise<ConnectionPage> {
  return (await api.request<ConnectionPage>({ method: 'GET', path: '/connections', query })).body;
}

function show({ terminal, values }: Invocation, page: ConnectionPage): void {
  if (page.partial === true) terminal.warn(`nodes did not answer: ${(page.missing_nodes ?? []).join(', ')}`);
  if (terminal.json && values.has('all')) {
    for (const item of page.items) terminal.document(item);
    return;
  }
  terminal.result(page, () => {
    terminal.table(
      ['connection', 'app', 'node', 'protocol', 'user', 'address', 'connected'],
      page.items.map((one) => [
        one.socket_id,
        one.app_id,
        one.node_id,
        one.protocol,
        one.user_id,
        one.address,
        new Date(one.connected_at_ms).toISOString(),
      ]),
      'no connections',
    );
    if (page.has_more && !values.has('all')) terminal.note('there are more connections; use --all');
  });
}
