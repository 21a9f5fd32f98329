import { setTimeout as sleep } from 'node:timers/promises';
import { signedApi } from '../api/signed.js';
import { dataText, eventMembers, idempotencyKey } from '../messages/event-body.js';
import { showPublished } from '../messages/publish-answer.js';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

const MAX_REPEATS = 1_000_000;

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal, signal } = invocation;
  const channels = values.argument(0).split(',');
  const repeats = values.integer('repeat', { min: 1, max: MAX_REPEATS }) ?? 1;
  const everyMs = values.durationMs('every') ?? 1000;
  if (repeats > 1 && values.has('idempotency-key'))
    throw usageError('--idempotency-key and --repeat exclude each other: repetitions would be dropped');
  const body = {
    name: values.argument(1),
    channels,
    data: await dataText(values.args[2], 'DATA', invocation),
    ...eventMembers(invocation, values.text('exclude')),
  };
  const api = await signedApi(invocation);
  for (let index = 0; index < repeats; index += 1) {
    if (index > 0) await sleep(everyMs, undefined, { signal });
    const answer = await api.request<object>({
      method: 'POST',
      path: '/events',
      body: { ...body, idempotency_key: idempotencyKey(invocation) },
      idempotent: true,
    });
    showPublished(terminal, answer, channels);
  }
}
