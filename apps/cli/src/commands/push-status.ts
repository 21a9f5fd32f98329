import { segments, signedApi } from '../api/signed.js';
import type { Invocation } from '../program/invocation.js';

interface Status {
  readonly state: string;
  readonly counters?: Readonly<Record<string, number>>;
}

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const api = await signedApi(invocation);
  const path = `/push/publish${segments(values.argument(0), 'status')}`;
  const status = await api.request<Status>({ method: 'GET', path });
  terminal.result(status, () =>
    terminal.table(
      ['counter', 'value'],
      [['state', status.state], ...Object.entries(status.counters ?? {})],
      '',
    ),
  );
}
