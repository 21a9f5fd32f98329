import { rejected, retryable } from '../../outcome.js';
import { Refusal } from '../client/refusal.js';
import type { Tokens } from '../client/tokens.js';

/** The credential of `firebase-admin`; its published type leaves out the project. */
interface DefaultCredential {
  readonly constructor: unknown;
  getAccessToken(): Promise<{ readonly access_token: string }>;
  getProjectId?(): Promise<string>;
}

/** Minimum time before an unchanged token is fetched again. */
const RENEWED_AGAIN_MS = 60_000;

/**
 * Google's application default credentials by `firebase-admin`: the file of `GOOGLE_APPLICATION_CREDENTIALS` (service
 * account, workload identity federation, user), the login of `gcloud`, or the metadata server of the machine. The
 * library caches one credential per process, renews its token five minutes before its end, and fetches it once at a time.
 */
export class DefaultCredentials implements Tokens {
  #project: string | null = null;
  /** Null until the first use. */
  #credential: DefaultCredential | null = null;
  /** The last refused token and the time of its renewal. */
  #refused: { readonly token: string; readonly atMs: number } | null = null;

  /** The project of the credentials; null until the first token was fetched. */
  get project(): string | null {
    return this.#project;
  }

  async get(): Promise<string> {
    try {
      const { applicationDefault } = await import('firebase-admin/app');
      const credential: DefaultCredential = (this.#credential ??= applicationDefault());
      const { access_token: token } = await credential.getAccessToken();
      this.#project ??= await projectOf(credential);
      return token;
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Makes the next `get` fetch another token. Sends that were refused with the same token share one renewal. */
  renew(token: string): boolean {
    const nowMs = Date.now();
    const isRenewed = this.#refused?.token === token && nowMs < this.#refused.atMs + RENEWED_AGAIN_MS;
    if (!isRenewed && this.#credential !== null) {
      this.#refused = { token, atMs: nowMs };
      this.#credential = withoutToken(this.#credential);
    }
    return true;
  }
}

/** Another credential of the same type. The library's own function returns one per process, which keeps its token. */
function withoutToken({ constructor }: DefaultCredential): DefaultCredential {
  return new (constructor as new () => DefaultCredential)();
}

/** Null when none is known: the setting has to name it, and a send without it is refused. */
async function projectOf(credential: DefaultCredential): Promise<string | null> {
  return (await credential.getProjectId?.().catch(() => null)) ?? null;
}

/** Only the kind of failure is kept: messages of the library may hold addresses and parts of a credential. */
function refusalOf(error: unknown): Refusal {
  if (isTransient(error)) {
    return new Refusal(retryable('unavailable', 'provider_transient', 'token_service_unavailable'));
  }
  return new Refusal(rejected('auth_failure', 'credential_auth', 'no_default_credentials'));
}

/** A server error or a failed connection; everything else concerns the credential itself. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { status, code } = error as { readonly status?: unknown; readonly code?: unknown };
  if (typeof status === 'number') return status >= 500 || status === 429;
  return /^E[A-Z_]{3,}$/.test(String(code)) && code !== 'ENOENT';
}
