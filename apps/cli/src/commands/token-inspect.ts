import { createHmac, timingSafeEqual } from 'node:crypto';
import { CommandError, usageError } from '../program/errors.js';
import { EXIT } from '../program/exit-codes.js';
import type { Invocation } from '../program/invocation.js';
import type { AppCredentials } from '../settings/connection.js';
import { readSecret } from '../settings/secret-input.js';
import { capabilityProblems } from '../tokens/capability-problems.js';
import { type DecodedToken, decodeToken } from '../tokens/decode.js';

export async function run(invocation: Invocation): Promise<number> {
  const { values, terminal } = invocation;
  const token = decodeToken((await readSecret(values.argument(0), 'TOKEN', invocation)).trim());
  if (token === null) throw usageError('TOKEN is not a compact JWT');
  const { header, claims } = token;
  const nowS = Date.now() / 1000;
  const signature = signatureState(token, await credentialsOf(invocation));
  const problems = [
    ...(signature === 'invalid' ? ['the signature does not match the secret of the app'] : []),
    ...capabilityProblems(token, nowS),
  ];
  const expiresInS = typeof claims['exp'] === 'number' ? Math.round(claims['exp'] - nowS) : null;
  const document = {
    kind: 'capability',
    header,
    claims,
    signature,
    expired: expiresInS !== null && expiresInS <= 0,
    expires_in_seconds: expiresInS,
    problems,
  };
  terminal.result(document, () => {
    terminal.table(
      ['claim', 'value'],
      Object.entries(claims).map(([name, value]) => [name, textOf(value)]),
      'no claims',
    );
    terminal.line(`signature: ${signature}`);
    if (expiresInS !== null)
      terminal.line(expiresInS > 0 ? `expires in ${expiresInS} s` : `expired ${-expiresInS} s ago`);
    for (const problem of problems) terminal.line(`problem: ${problem}`, 'red');
  });
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Null: none are given, or only those of the demo. */
async function credentialsOf(invocation: Invocation): Promise<AppCredentials | null> {
  try {
    const { credentials } = await invocation.connection();
    return credentials.isDemo ? null : credentials;
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.usage) return null;
    throw error;
  }
}

function signatureState(
  { header, signed, signature }: DecodedToken,
  credentials: AppCredentials | null,
): 'invalid' | 'unchecked' | 'valid' {
  if (credentials === null || header['kid'] !== credentials.key) return 'unchecked';
  const expected = createHmac('sha256', credentials.secret).update(signed).digest();
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected) ? 'valid' : 'invalid';
}
