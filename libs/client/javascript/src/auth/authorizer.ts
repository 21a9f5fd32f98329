import { CarillonError } from '../error.js';

/** The channel to be authorized. */
export interface ChannelToAuthorize {
  readonly socketId: string;
  readonly channel: string;
}

/** The app server's response for a channel. */
export interface Authorization {
  readonly auth: string;
  /** The member data of a presence channel, exactly as signed. */
  readonly channel_data?: string;
  /** The base64 key of an encrypted channel. */
  readonly shared_secret?: string;
}

/** The app server's response for a user. */
export interface UserAuthentication {
  readonly auth: string;
  /** Exactly as it was signed. */
  readonly user_data: string;
}

/** An endpoint of the app's own server. */
export interface Endpoint {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  readonly credentials?: 'include' | 'omit' | 'same-origin';
}

/** The way to call the app's own server: by URL, by endpoint, or by a function of the app. */
export type Authorize<Asked, Answer> = string | Endpoint | ((asked: Asked) => Promise<Answer> | Answer);

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
