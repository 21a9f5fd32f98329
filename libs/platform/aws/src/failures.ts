const REJECTED_CREDENTIALS: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'IncompleteSignatureException',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);
const MISSING_CREDENTIALS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);
const DENIED: ReadonlySet<string> = new Set(['AccessDenied', 'AccessDeniedException', 'AuthorizationError']);

/** Service, region and endpoint of a client, for the texts of its errors. */
export interface AwsPlace {
  /** Name of the service, such as `DynamoDB`. */
  readonly service: string;
  readonly region: string;
  readonly endpoint: string | null;
  /** Settings of the credentials, as an operator finds them. */
  readonly credentialSettings: string;
}

/** Returns whether retrying is useless until an operator changes credentials or permissions. */
export function isCredentialFailure(error: unknown): boolean {
  const name = nameOf(error);
  return REJECTED_CREDENTIALS.has(name) || MISSING_CREDENTIALS.has(name) || DENIED.has(name);
}

/** Describes the failure of a request: service, place, cause and, for credentials, the remedy. Holds no credential. */
export function awsFailureText(error: unknown, place: AwsPlace): string {
  const { service, region, endpoint, credentialSettings } = place;
  const where = endpoint === null ? `${service} in region ${region}` : `${service} at ${endpoint}`;
  const name = nameOf(error);
  if (MISSING_CREDENTIALS.has(name)) {
    return `no AWS credentials for ${where} (${name}); set ${credentialSettings}`;
  }
  if (REJECTED_CREDENTIALS.has(name)) {
    return `${where} rejected the AWS credentials (${name}); check ${credentialSettings}`;
  }
  if (DENIED.has(name)) {
    return `${where} denied the request: ${messageOf(error)}; grant the permission to the AWS credentials`;
  }
  return `${where}: ${messageOf(error)}`;
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the service does not answer';
  // Several failed connection attempts are reported as one error without a message.
  const code = 'code' in error ? String(error.code) : '';
  const text = error.message === '' ? code : error.message;
  if (text === '') return error.name;
  return error.name === 'Error' || error.name === 'AggregateError' ? text : `${error.name}: ${text}`;
}
