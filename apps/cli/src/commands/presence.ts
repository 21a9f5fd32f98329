import { withoutRole } from '../api/role.js';
import { segments, signedApi } from '../api/signed.js';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

interface Members {
  readonly users: readonly { readonly id: string }[];
}
interface PresenceHistory {
  readonly items: readonly Readonly<Record<string, number | string | null>>[];
}
interface Snapshot {
  readonly members: readonly {
    readonly user_id: string;
    readonly last_event: string;
    readonly last_event_at_ms: number;
  }[];
}

const time = (ms: unknown): string => new Date(Number(ms)).toISOString();

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const channel = values.argument(0);
  if (values.has('history') && values.has('snapshot'))
    throw usageError('--history and --snapshot exclude each other');
  const path = segments('channels', channel);
  const api = await signedApi(invocation);
  if (values.has('history')) {
    const answer = await api.request<PresenceHistory>({ method: 'GET', path: `${path}/presence/history` });
    return terminal.result(answer, () =>
      terminal.table(
        ['serial', 'time', 'event', 'user', 'cause'],
        answer.items.map((item) => [
          item['serial'],
          time(item['published_at_ms']),
          item['event'],
          item['user_id'],
          item['cause'],
        ]),
        'no presence events',
      ),
    );
  }
  if (values.has('snapshot')) {
    const answer = await api.request<Snapshot>({ method: 'GET', path: `${path}/presence/history/snapshot` });
    return terminal.result(answer, () =>
      terminal.table(
        ['user', 'last event', 'time'],
        answer.members.map((one) => [one.user_id, one.last_event, time(one.last_event_at_ms)]),
        'no members',
      ),
    );
  }
  const answer = await withoutRole(api.request<Members>({ method: 'GET', path: `${path}/users` }));
  terminal.result(answer, () =>
    terminal.table(
      ['user'],
      answer.users.map(({ id }) => [id]),
      'no members',
    ),
  );
}
