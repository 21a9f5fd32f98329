import { createHmac, randomUUID } from 'node:crypto';
import { timeoutMs, withDeadline } from '../api/deadline.js';
import { managementApi } from '../api/management.js';
import { networkReason } from '../api/request-errors.js';
import { segments } from '../api/signed.js';
import { CommandError, failure, unreachable, usageError } from '../program/errors.js';
import { EXIT } from '../program/exit-codes.js';
import type { Invocation } from '../program/invocation.js';

const MAX_BODY_BYTES = 1024;
const CHANNEL = 'service-test';

export async function run(invocation: Invocation): Promise<number> {
  const { values, terminal } = invocation;
  const url = receiverOf(values.argument(0));
  const event = values.text('event') ?? 'channel_occupied';
  if (values.has('from-service')) return fromService(url, invocation);
  const { credentials } = await invocation.connection();
  const id = randomUUID();
  const body = JSON.stringify({ time_ms: Date.now(), events: [{ name: event, channel: CHANNEL }] });
  const headers = {
    'Content-Type': 'application/json',
    'X-Pusher-Key': credentials.key,
    'X-Pusher-Signature': createHmac('sha256', credentials.secret).update(body).digest('hex'),
    'X-Service-Webhook-Id': id,
    'X-Service-Webhook-Test': '1',
  };
  const startedMs = performance.now();
  const { status, text } = await withDeadline(invocation, url.origin, timeoutMs(invocation), (signal) =>
    send(url, { method: 'POST', headers, body, signal, redirect: 'manual' }),
  );
  const ok = status >= 200 && status < 300;
  const duration = Math.round(performance.now() - startedMs);
  const document = { url: shown(url), ok, status, duration_ms: duration, webhook_id: id, body: text };
  terminal.result(document, () => {
    terminal.line(`${status} in ${duration} ms`, ok ? 'green' : 'red');
    if (status >= 300 && status < 400)
      terminal.line('a redirect is a permanent failure: webhooks do not follow it');
    if (text !== '') terminal.line(text);
  });
  return ok ? EXIT.done : EXIT.failed;
}

function receiverOf(text: string): URL {
  try {
    const url = new URL(text);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {
    // Reported below.
  }
  throw usageError(`URL "${text}" is not an http: or https: URL`);
}

/** Userinfo and query of a receiver may hold credentials. */
const shown = (url: URL): string => `${url.origin}${url.pathname}`;

async function send(
  url: URL,
  request: RequestInit,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const target = new URL(url);
    const { username, password } = target;
    target.username = '';
    target.password = '';
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const headers = {
      ...(request.headers as Record<string, string>),
      ...(username === '' ? {} : { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    };
    const response = await fetch(target, { ...request, headers });
    return { status: response.status, text: await start(response) };
  } catch (error) {
    if (request.signal?.aborted === true) throw request.signal.reason;
    throw new CommandError(unreachable(shown(url), networkReason(error)).message, {
      code: 'unreachable',
      exitCode: EXIT.unreachable,
      cure: 'check the address of the receiver, and whether it runs',
      cause: error,
    });
  }
}

/** The first kilobyte of the answer. */
async function start(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
    if (size >= MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8');
}

interface Webhook {
  readonly webhook_id: string;
  readonly url: string | null;
}
interface Tested {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
}

/** Lets the service send its test event to the webhook of the app with this URL. */
async function fromService(url: URL, invocation: Invocation): Promise<number> {
  const { values, terminal } = invocation;
  const { appId } = await invocation.connection();
  const api = await managementApi(invocation);
  const path = segments('apps', appId, 'webhooks');
  const { body } = await api.request<{ readonly items: readonly Webhook[] }>({ method: 'GET', path });
  const webhook = body.items.find(
    (one) => one.url !== null && URL.canParse(one.url) && shown(new URL(one.url)) === shown(url),
  );
  if (webhook === undefined)
    throw failure(`app "${appId}" has no webhook with the URL ${shown(url)}`, 'not_found');
  const event = values.text('event');
  const request = { method: 'POST', path: `${path}${segments(webhook.webhook_id, 'test')}` } as const;
  const answer = await api.request<Tested>({
    ...request,
    body: event === undefined ? {} : { event_type: event },
  });
  const { delivered, status, error } = answer.body;
  terminal.result(answer.body, () =>
    terminal.line(`${delivered ? 'delivered' : 'failed'} ${status ?? error ?? ''}`),
  );
  return delivered ? EXIT.done : EXIT.failed;
}
