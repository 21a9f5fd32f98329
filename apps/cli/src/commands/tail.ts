import { managementApi } from '../api/management.js';
import { serverEvents } from '../api/server-events.js';
import { segments } from '../api/signed.js';
import { unreachable, usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { networkReason } from '../api/request-errors.js';

type Trace = Readonly<Record<string, unknown>>;

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal, signal } = invocation;
  const [channel] = values.args;
  const targets = [channel, values.text('user'), values.text('connection')].filter(
    (one) => one !== undefined,
  );
  if (targets.length > 1) throw usageError('CHANNEL, --user and --connection exclude each other');
  const api = await managementApi(invocation);
  const { appId, manageUrl } = await invocation.connection();
  const query = {
    channel,
    user_id: values.text('user'),
    socket_id: values.text('connection'),
    payload: values.text('payload'),
    sample: values.text('sample'),
  };
  const request = { method: 'GET', path: `${segments('apps', appId)}/tail`, query } as const;
  try {
    for await (const { event, data } of serverEvents(await api.stream(request, signal))) {
      const trace = parsed(data);
      if (terminal.json) terminal.document({ type: event, ...trace });
      else if (event === 'trace') terminal.line(lineOf(trace));
      else terminal.note(`${event} ${data}`);
      if (event === 'end') return;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof TypeError) throw unreachable(manageUrl, networkReason(error), error);
    throw error;
  }
}

function parsed(data: string): Trace {
  try {
    return JSON.parse(data) as Trace;
  } catch {
    return { data };
  }
}

function lineOf(trace: Trace): string {
  const { at_ms: atMs, kind, direction, node_id: _node, data, ...more } = trace;
  const time = new Date(Number(atMs)).toISOString().slice(11, 23);
  const members = Object.entries(more)
    .filter(([, value]) => value !== null && value !== '' && value !== false)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const payload = typeof data === 'string' ? [data] : [];
  return [time, String(kind), String(direction), ...members, ...payload].join('  ');
}
