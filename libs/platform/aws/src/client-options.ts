import { type AwsIdentity, credentialOptions, type CredentialOptions } from './credentials.js';

const CONNECT_TIMEOUT_MS = 5000;
/** The first attempt included. The SDK waits between attempts with exponential backoff and jitter. */
const DEFAULT_ATTEMPTS = 3;

/** Location, credentials and limits of a client. */
export interface AwsClientSettings {
  readonly region: string;
  /** Null: the endpoint of the region, or the one that `AWS_ENDPOINT_URL` or the shared configuration names. */
  readonly endpoint: string | null;
  readonly identity: AwsIdentity;
  /** Limit of one attempt. */
  readonly requestTimeoutMs: number;
  /** Attempts of a request that is throttled or fails on the way. Default 3; 1 disables retries. */
  readonly attempts?: number;
}

/** Options that every SDK client accepts. */
export interface AwsClientOptions extends CredentialOptions {
  readonly region: string;
  readonly endpoint?: string;
  readonly maxAttempts: number;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: boolean;
  };
}

/** Returns options for the constructor of an SDK client. Loads no SDK: each driver imports its own client. */
export function awsClientOptions(settings: AwsClientSettings): AwsClientOptions {
  const { region, endpoint, identity, requestTimeoutMs, attempts = DEFAULT_ATTEMPTS } = settings;
  return {
    region,
    ...(endpoint === null ? {} : { endpoint }),
    ...credentialOptions(identity),
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      // Otherwise the SDK logs a warning and keeps waiting.
      throwOnRequestTimeout: true,
    },
  };
}
