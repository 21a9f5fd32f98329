import { segments, signedApi } from '../api/signed.js';
import type { Invocation } from '../program/invocation.js';
import { jsonObject } from '../settings/json-input.js';

interface Stored {
  readonly credential_id: string;
  readonly version: number;
}

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const body = await jsonObject(values.required('file'), '--file', invocation);
  const api = await signedApi(invocation);
  const path = `/push/credentials${segments(values.argument(0))}`;
  const stored = await api.request<Stored>({ method: 'POST', path, body });
  terminal.result(stored, () => terminal.line(`${stored.credential_id} version ${stored.version}`));
}
