import { ServiceError } from '@carillon/errors';
import {
  type Cloud,
  inBodies,
  InvalidCredential,
  type JsonObject,
  type Provider,
  readCredentialFields,
} from '@carillon/push-providers';
import type { StoredCredential } from '@carillon/push-store';
import { integerOf, invalid, textOf, wholeObject } from '../fields.js';
import type { PushParts } from '../parts.js';
import { sealPlace } from '../pipeline/credentials.js';

const REDACTED = '[REDACTED]';
const MAX_TRIES = 5;
/** Fields of a service account are shown under their original names. */
const OF_ACCOUNT: Readonly<Record<string, string>> = { projectId: 'project_id', clientEmail: 'client_email' };

/** A credential without its secrets. */
export const credentialShape = ({
  appId,
  credentialId,
  provider,
  version,
}: StoredCredential): JsonObject => ({
  app_id: appId,
  credential_id: credentialId,
  provider: inBodies(provider as Provider),
  version,
});

export const credentialItem = (row: StoredCredential): JsonObject => ({
  ...credentialShape(row),
  updated_at_ms: row.updatedMs,
  material: {
    ...Object.fromEntries(
      Object.entries(row.openFields).map(([name, value]) => [OF_ACCOUNT[name] ?? name, value]),
    ),
    ...Object.fromEntries(Object.keys(row.sealedFields).map((field) => [field, REDACTED])),
  },
});

/** Takes the credential of a body in, sealed. */
export async function putCredential(
  { store, secrets, now }: PushParts,
  appId: string,
  provider: Cloud,
  value: unknown,
): Promise<StoredCredential> {
  const body = wholeObject(value);
  const credentialId = textOf(body, 'credentialId', { maxBytes: 128, notBlank: true }) ?? provider;
  const asked = integerOf(body, 'version', 1);
  const fields = checkedFields(provider, body);
  const { sealer } = secrets;
  if (sealer === null)
    throw new ServiceError('service_unavailable', { text: 'credential encryption key is not configured' });
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await store.credential(appId, credentialId);
    if (stored !== null && stored.provider !== provider) {
      throw invalid('credentialId belongs to a credential of another provider');
    }
    const version = asked ?? (stored?.version ?? 0) + 1;
    const place = { appId, credentialId, provider, version };
    const sealedFields = Object.fromEntries(
      Object.entries(fields.secret).map(([field, text]) => [
        field,
        sealer.seal(text, sealPlace(place, field)),
      ]),
    );
    const nowMs = now();
    const row = {
      ...place,
      openFields: fields.open,
      sealedFields,
      createdMs: stored?.createdMs ?? nowMs,
      updatedMs: nowMs,
    };
    const subject = `credential:${provider}:${credentialId}:${version}`.toLowerCase();
    const event = { appId, eventId: `${subject}:${nowMs}`, subject, occurredMs: nowMs };
    if (await store.putCredential(row, stored?.version ?? null, event)) return row;
  }
  throw new ServiceError('conflict', { text: 'the credential is being changed by others' });
}

function checkedFields(provider: Cloud, body: JsonObject) {
  try {
    return readCredentialFields(provider, body);
  } catch (error) {
    if (error instanceof InvalidCredential) throw invalid(error.message);
    throw error;
  }
}
