import type { Config } from '@carillon/config';

/** Credentials of a client; without both, the default chain of the SDK applies: environment, shared files, role. */
export interface AwsIdentity {
  readonly keyPair: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Profile of the shared credentials file. Ignored if there is a key pair. */
  readonly profile: string | null;
}

/** Uses the default chain of the SDK. */
export const DEFAULT_IDENTITY: AwsIdentity = { keyPair: null, profile: null };

/** Returns the credentials of `database.dynamodb`. */
export function identityOf({
  aws_access_key_id: accessKeyId,
  aws_secret_access_key: secret,
  aws_profile_name: profile,
}: Config['database']['dynamodb']): AwsIdentity {
  const keyPair =
    accessKeyId === null || secret === null ? null : { accessKeyId, secretAccessKey: secret.reveal() };
  return { keyPair, profile };
}

/** Options of an SDK client that select its credentials. */
export interface CredentialOptions {
  readonly profile?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/**
 * Returns the credentials as options of an SDK client. A key pair of the environment is temporary if
 * `AWS_SESSION_TOKEN` is set, and is rejected without that token.
 */
export function credentialOptions(
  { keyPair, profile }: AwsIdentity,
  env: Readonly<Record<string, string | undefined>> = process.env,
): CredentialOptions {
  if (keyPair === null) return profile === null ? {} : { profile };
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const isOfEnvironment = env['AWS_ACCESS_KEY_ID'] === keyPair.accessKeyId;
  const isTemporary = isOfEnvironment && sessionToken !== undefined && sessionToken !== '';
  return { credentials: isTemporary ? { ...keyPair, sessionToken } : keyPair };
}
