import { signedApi } from '../api/signed.js';
import type { Invocation } from '../program/invocation.js';
import { withoutRole } from '../api/role.js';

interface Channels {
  readonly channels: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const query = {
    ...(values.has('prefix') ? { filter_by_prefix: values.text('prefix') ?? '' } : {}),
    ...(values.has('info') ? { info: values.text('info') ?? '' } : {}),
  };
  const api = await signedApi(invocation);
  const answer = await withoutRole(api.request<Channels>({ method: 'GET', path: '/channels', query }));
  terminal.result(answer, () => {
    const rows = Object.entries(answer.channels);
    const members = [...new Set(rows.flatMap(([, info]) => Object.keys(info)))];
    terminal.table(
      ['channel', ...members],
      rows.map(([name, info]) => [name, ...members.map((member) => info[member])]),
      'no channels',
    );
  });
}
