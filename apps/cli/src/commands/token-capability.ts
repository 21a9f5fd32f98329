import type { Operation } from '@carillon/server';
import { signer } from '../api/signed.js';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { decodeToken } from '../tokens/decode.js';

const DEFAULT_TTL_MS = 3_600_000;

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const clientId = values.required('client-id');
  const capability = capabilityOf(values.texts('allow'));
  const ttlSeconds = (values.durationMs('ttl') ?? DEFAULT_TTL_MS) / 1000;
  const jti = values.text('jti');
  const server = await signer(invocation);
  const token = await server.mintToken({
    clientId,
    capability,
    ttlSeconds,
    ...(jti === undefined ? {} : { jti }),
  });
  const { iat, exp, jti: id } = decodeToken(token)?.claims ?? {};
  terminal.result({ token, kind: 'capability', client_id: clientId, capability, iat, exp, jti: id }, () =>
    terminal.line(token),
  );
}

/** Reads `PATTERN=op,op`; the last `=` separates, since a pattern may contain one. */
function capabilityOf(texts: readonly string[]): Record<string, Operation[]> {
  if (texts.length === 0) throw usageError('--allow is missing', "give --allow 'PATTERN=subscribe,history'");
  const capability: Record<string, Operation[]> = {};
  for (const text of texts) {
    const at = text.lastIndexOf('=');
    if (at < 1) throw usageError(`--allow "${text}" is malformed; expected PATTERN=OPERATION,OPERATION`);
    const operations = text
      .slice(at + 1)
      .split(',')
      .map((one) => one.trim().replaceAll('_', '-'));
    const pattern = text.slice(0, at);
    capability[pattern] = [...(capability[pattern] ?? []), ...(operations as Operation[])];
  }
  return capability;
}
