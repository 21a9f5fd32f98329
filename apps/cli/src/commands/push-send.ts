import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeoutMs } from '../api/deadline.js';
import { segments, signedApi, type SignedApi } from '../api/signed.js';
import { failure, usageError } from '../program/errors.js';
import { EXIT } from '../program/exit-codes.js';
import type { Invocation } from '../program/invocation.js';
import { durationMs, timeMs } from '../program/values.js';
import { jsonObject } from '../settings/json-input.js';

interface Accepted {
  readonly publishId: string;
  readonly status: string;
}
interface Status {
  readonly state: string;
}

const POLL_MS = 250;
const FINAL: ReadonlySet<string> = new Set([
  'cancelled',
  'expired',
  'failed',
  'succeeded',
  'partiallySucceeded',
  'quota_exceeded',
  'dead_lettered',
]);

export async function run(invocation: Invocation): Promise<number> {
  const { values, terminal } = invocation;
  const file = values.text('file');
  const given = file === undefined ? bodyOf(invocation) : await jsonObject(file, '--file', invocation);
  // The id makes a repetition after a lost answer harmless.
  const body = { publishId: randomUUID(), ...given };
  const api = await signedApi(invocation);
  const accepted = await api.request<Accepted>({
    method: 'POST',
    path: '/push/publish',
    body,
    idempotent: true,
  });
  if (!values.has('wait')) {
    terminal.result(accepted, () => terminal.line(`${accepted.publishId} ${accepted.status}`));
    return EXIT.done;
  }
  const status = await finalStatus(api, accepted.publishId, invocation);
  terminal.result(status, () => terminal.line(`${accepted.publishId} ${status.state}`));
  return status.state === 'succeeded' ? EXIT.done : EXIT.failed;
}

async function finalStatus(api: SignedApi, id: string, invocation: Invocation): Promise<Status> {
  const deadlineMs = performance.now() + timeoutMs(invocation);
  for (;;) {
    const status = await api.request<Status>({
      method: 'GET',
      path: `/push/publish${segments(id, 'status')}`,
    });
    if (FINAL.has(status.state)) return status;
    if (performance.now() > deadlineMs) throw failure(`push "${id}" is ${status.state} after --timeout`);
    await sleep(POLL_MS, undefined, { signal: invocation.signal });
  }
}

function bodyOf({ values }: Invocation): object {
  const recipients = [
    ...values.texts('channel').map((channel) => ({ type: 'channel', channel })),
    ...values.texts('client').map((clientId) => ({ type: 'client', clientId })),
    ...values.texts('device').map((deviceId) => ({ type: 'device', deviceId })),
  ];
  if (recipients.length === 0)
    throw usageError('no recipient is given', 'give --channel, --client or --device');
  const payload = {
    title: values.text('title'),
    body: values.text('body'),
    templateId: values.text('template'),
    templateData: values.json('data'),
  };
  if (Object.values(payload).every((value) => value === undefined))
    throw usageError('the notification is empty', 'give --title, --body, --data or --template');
  return {
    recipients,
    payload,
    notBeforeMs: later(values.text('not-before'), '--not-before'),
    expiresAtMs: later(values.text('expires'), '--expires'),
  };
}

/** A time: a duration from now, Unix milliseconds or RFC 3339. */
function later(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const nowMs = Date.now();
  return /^\d{1,9}(ms|s|m|h|d)$/.test(text) ? nowMs + durationMs(text, name) : timeMs(text, name, nowMs);
}
