import { CompatError } from './compat-error.js';

/** The credentials and clientId of a request. */
export interface Credentials {
  readonly token: string | null;
  readonly key: string | null;
  /** Null: anonymous. */
  readonly clientId: string | null;
}

export interface CredentialSource {
  readonly query: Readonly<Record<string, string | undefined>>;
  header(lowerCaseName: string): string | undefined;
  /** Whether the query's `clientId` filters the result instead of identifying the caller. */
  readonly clientIdFilters?: boolean;
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what must not pass
const UNPRINTABLE = /[\u0000-\u001F\u007F\uFFFD]/;
const MAX_CLIENT_ID_BYTES = 255;

/** Reads them; a token wins over a key, the header over the query. */
export function readCredentials(source: CredentialSource): Credentials {
  const authorization = source.header('authorization') ?? '';
  const bearer = rest(authorization, 'bearer ');
  const basic = rest(authorization, 'basic ');
  const { query } = source;
  const token = bearer === null ? query['access_token'] || query['accessToken'] : bearerToken(bearer);
  const key = basic === null ? query['key'] : Buffer.from(basic, 'base64').toString();
  return { token: token || null, key: key || null, clientId: clientIdOf(source) };
}

const rest = (text: string, scheme: string): string | null =>
  text.toLowerCase().startsWith(scheme) && text.length > scheme.length
    ? text.slice(scheme.length).trim()
    : null;

/** Returns the token of a bearer header, which libraries send in base64 and other clients send bare. */
function bearerToken(text: string): string {
  if (text.split('.').length === 3 || !BASE64.test(text)) return text;
  const decoded = Buffer.from(text, 'base64').toString();
  return decoded === '' || UNPRINTABLE.test(decoded) ? text : decoded;
}

function clientIdOf(source: CredentialSource): string | null {
  const { query } = source;
  const asked =
    (source.clientIdFilters === true ? undefined : query['clientId']) || query['client_id'] || null;
  const header = source.header('x-ably-clientid');
  if (header === undefined) return checked(asked);
  const named = BASE64.test(header) ? Buffer.from(header, 'base64').toString() : '';
  if (named === '' || named.includes('\uFFFD') || (asked !== null && asked !== named))
    throw new CompatError(40_140, 'X-Ably-ClientId is not valid');
  return checked(named);
}

/**
 * Whether a token may be issued to this clientId; `*` permits any. A line break is rejected, because it separates the
 * lines of a signed text.
 */
export const isClientId = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  Buffer.byteLength(value) <= MAX_CLIENT_ID_BYTES &&
  value.isWellFormed() &&
  !value.includes('\n');

function checked(clientId: string | null): string | null {
  if (clientId !== null && (clientId === '*' || !isClientId(clientId)))
    throw new CompatError(40_012, 'clientId is not allowed');
  return clientId;
}
