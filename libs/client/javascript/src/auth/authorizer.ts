import { CarillonError } from '../error.js';

/** What is to be signed for a channel. */
export interface ChannelToAuthorize {
  readonly socketId: string;
  readonly channel: string;
}

/** What the app's own server says of a channel. */
export interface Authorization {
  readonly auth: string;
  /** Of a presence channel, exactly as it was signed. */
  readonly channel_data?: string;
  /** Of an encrypted channel, in base64. */
  readonly shared_secret?: string;
}

/** What the app's own server says of a user. */
export interface UserAuthentication {
  readonly auth: string;
  /** Exactly as it was signed. */
  readonly user_data: string;
}

/** Where an app's own server answers. */
export interface Endpoint {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  readonly credentials?: 'include' | 'omit' | 'same-origin';
}

/** Asks the app's own server: by its address, or by whatever means the app has. */
export type Authorize<Asked, Answer> = string | Endpoint | ((asked: Asked) => Promise<Answer> | Answer);

/** The longest that the app's own server may take. */
const LIMIT_MS = 30_000;

/** The answer of the app's own server; rejects where it refuses or cannot be reached. */
export async function askApp<Asked, Answer>(
  how: Authorize<Asked, Answer>,
  asked: Asked,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  if (typeof how === 'function') return how(asked);
  const { url, headers, credentials }: Endpoint = typeof how === 'string' ? { url: how } : how;
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(form),
    signal: AbortSignal.timeout(LIMIT_MS),
    ...(headers === undefined ? {} : { headers: typeof headers === 'function' ? headers() : headers }),
    ...(credentials === undefined ? {} : { credentials }),
  }).catch(() => {
    throw new CarillonError("The app's server cannot be reached", { status: 503 });
  });
  if (!answer.ok) {
    throw new CarillonError(`The app's server answered ${answer.status}`, { status: answer.status });
  }
  return (await answer.json()) as Answer;
}
