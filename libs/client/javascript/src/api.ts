import { CarillonError } from './error.js';

/** A request to the service's signed HTTP API. Requires the app's secret. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the app, encoded as it is to be sent. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Has a request made; rejects with the service's refusal. */
export type Api = (request: ApiRequest) => Promise<unknown>;

/** Options of forwarding requests to the app's own server. */
export interface ForwardOptions {
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly credentials?: 'include' | 'omit' | 'same-origin';
}

/**
 * Has the app's own server make the requests: it gets each one as JSON, decides, signs it and hands the answer back.
 */
export function forwardTo(url: string, options: ForwardOptions = {}): Api {
  return async (request) => {
    const { credentials } = options;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...options.headers?.() },
      body: JSON.stringify(request),
      ...(credentials === undefined ? {} : { credentials }),
    });
    return answerOf(answer.status, await answer.text());
  };
}

/** Returns the parsed body of a response. Throws if the response is an error. */
export function answerOf(status: number, text: string): unknown {
  let body: unknown;
  try {
    body = text === '' ? null : JSON.parse(text);
  } catch {
    body = null;
  }
  if (status >= 200 && status < 300) return body;
  const { error, ai_code: code } = (body ?? {}) as { readonly error?: unknown; readonly ai_code?: unknown };
  throw new CarillonError(typeof error === 'string' ? error : `HTTP ${status}`, {
    status,
    code: typeof code === 'number' ? code : 0,
  });
}
