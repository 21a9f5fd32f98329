import { managementApi, type ManagementApi } from '../api/management.js';
import { segments } from '../api/signed.js';
import { confirm } from '../output/confirm.js';
import { CommandError, usageError } from '../program/errors.js';
import { EXIT } from '../program/exit-codes.js';
import type { Invocation } from '../program/invocation.js';

const PAGE = 500;
const MAX_ROUNDS = 1000;

export async function run(invocation: Invocation): Promise<number> {
  const { values, terminal, signal } = invocation;
  const queue = values.required('queue');
  const isAll = values.has('all');
  if (isAll === values.args.length > 0) throw usageError('give either ids or --all');
  if (isAll) await confirm(invocation, 'queue replay --all', queue);
  const api = await managementApi(invocation);
  const path = `${segments('queues', queue)}/dead-letters`;
  const outcome = { replayed: 0, failed: [] as string[] };
  const replay = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      signal.throwIfAborted();
      if (await replayOne(api, `${path}${segments(id)}/replay`)) outcome.replayed += 1;
      else outcome.failed.push(id);
    }
  };
  if (!isAll) await replay(values.args);
  const rounds = isAll ? MAX_ROUNDS : 0;
  for (let round = 0; round < rounds; round += 1) {
    const ids = (await firstIds(api, path)).filter((id) => !outcome.failed.includes(id));
    if (ids.length === 0) break;
    await replay(ids);
  }
  terminal.result(outcome, () => {
    terminal.line(`replayed ${outcome.replayed}`);
    for (const id of outcome.failed) terminal.line(`failed ${id}`);
  });
  return outcome.failed.length === 0 ? EXIT.done : EXIT.failed;
}

async function firstIds(api: ManagementApi, path: string): Promise<readonly string[]> {
  const query = { limit: String(PAGE) };
  const { body } = await api.request<{ readonly items: readonly { readonly id: string }[] }>({
    method: 'GET',
    path,
    query,
  });
  return body.items.map(({ id }) => id);
}

/** False: the dead letter does not exist any more, or the queue refused it. */
async function replayOne(api: ManagementApi, path: string): Promise<boolean> {
  try {
    await api.request({ method: 'POST', path });
    return true;
  } catch (error) {
    if (error instanceof CommandError && (error.status === 404 || error.status === 409)) return false;
    throw error;
  }
}
