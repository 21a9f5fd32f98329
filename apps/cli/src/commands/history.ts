import { segments, signedApi } from '../api/signed.js';
import type { Terminal } from '../output/terminal.js';
import type { Invocation } from '../program/invocation.js';
import { timeMs } from '../program/values.js';

interface HistoryItem {
  readonly serial: number;
  readonly published_at_ms: number;
  readonly event_name: string | null;
  readonly message: { readonly data?: unknown };
}
interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal, signal } = invocation;
  const path = `${segments('channels', values.argument(0))}/history`;
  const query = queryOf(invocation);
  const api = await signedApi(invocation);
  const page = (more: Readonly<Record<string, string>>): Promise<HistoryPage> =>
    api.request<HistoryPage>({ method: 'GET', path, query: { ...query, ...more } });
  let current = await page({});
  if (!values.has('all')) {
    return terminal.result(current, () => {
      showItems(terminal, current.items);
      if (current.has_more) terminal.note('there are more events; use --all');
    });
  }
  for (;;) {
    signal.throwIfAborted();
    if (terminal.json) for (const item of current.items) terminal.document(item);
    else if (current.items.length > 0) showItems(terminal, current.items);
    if (!current.has_more || current.next_cursor === null) return;
    current = await page({ cursor: current.next_cursor });
  }
}

function queryOf({ values }: Invocation): Record<string, string> {
  const nowMs = Date.now();
  const time = (flag: string): string | undefined => {
    const text = values.text(flag);
    return text === undefined ? undefined : String(timeMs(text, `--${flag}`, nowMs));
  };
  const members = {
    limit: values.integer('limit', { min: 1 }),
    direction: values.text('direction'),
    start_time_ms: time('since'),
    end_time_ms: time('until'),
    start_serial: values.integer('from-serial'),
  };
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

const dataOf = (data: unknown): string => (typeof data === 'string' ? data : (JSON.stringify(data) ?? ''));

function showItems(terminal: Terminal, items: readonly HistoryItem[]): void {
  terminal.table(
    ['serial', 'time', 'event', 'data'],
    items.map(({ serial, published_at_ms: atMs, event_name: event, message }) => [
      serial,
      new Date(atMs).toISOString(),
      event,
      dataOf(message.data),
    ]),
    'no events',
  );
}
