import { signedApi } from '../api/signed.js';
import type { Invocation } from '../program/invocation.js';

interface Credential {
  readonly credential_id: string;
  readonly provider: string;
  readonly version: number;
  readonly updated_at_ms?: number;
}

export async function run(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const api = await signedApi(invocation);
  const answer = await api.request<{ readonly items: readonly Credential[] }>({
    method: 'GET',
    path: '/push/credentials',
  });
  terminal.result(answer, () =>
    terminal.table(
      ['credential', 'provider', 'version', 'updated'],
      answer.items.map((one) => [
        one.credential_id,
        one.provider,
        one.version,
        one.updated_at_ms === undefined ? null : new Date(one.updated_at_ms).toISOString(),
      ]),
      'no credentials',
    ),
  );
}
