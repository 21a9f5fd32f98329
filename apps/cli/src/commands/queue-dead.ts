import { managementApi } from '../api/management.js';
import { segments } from '../api/signed.js';
import { confirm } from '../output/confirm.js';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

interface DeadLetters {
  readonly items: readonly {
    readonly id: string;
    readonly app_id: string | null;
    readonly failed_at_ms: number;
    readonly attempts: number;
    readonly reason: string;
  }[];
  readonly has_more: boolean;
}

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const queue = values.argument(0);
  const path = `${segments('queues', queue)}/dead-letters`;
  const shown = values.text('show');
  const deleted = values.texts('delete');
  if (shown !== undefined && deleted.length > 0) throw usageError('--show and --delete exclude each other');
  if (deleted.length > 0) await confirm(invocation, 'queue dead --delete', queue);
  const api = await managementApi(invocation);
  if (shown !== undefined) {
    const request = { method: 'GET', path: `${path}${segments(shown)}`, query: { payload: 'true' } } as const;
    const { body } = await api.request<object>(request);
    return terminal.result(body, () => terminal.line(JSON.stringify(body)));
  }
  for (const id of deleted) await api.request({ method: 'DELETE', path: `${path}${segments(id)}` });
  if (deleted.length > 0)
    return terminal.result({ deleted: deleted.length }, () => terminal.line(`deleted ${deleted.length}`));
  const limit = values.integer('limit', { min: 1, max: 500 });
  const { body } = await api.request<DeadLetters>({
    method: 'GET',
    path,
    query: { limit: limit === undefined ? undefined : String(limit) },
  });
  terminal.result(body, () => {
    terminal.table(
      ['id', 'app', 'failed', 'attempts', 'reason'],
      body.items.map((one) => [
        one.id,
        one.app_id,
        new Date(one.failed_at_ms).toISOString(),
        one.attempts,
        one.reason,
      ]),
      'no dead letters',
    );
    if (body.has_more) terminal.note('there are more dead letters; raise --limit');
  });
}
