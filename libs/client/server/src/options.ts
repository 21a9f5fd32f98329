import { invalid } from './errors.js';

/** Seals publishes to `private-encrypted-…` channels; made by `encryptor` of `@carillon/server/encrypted`. */
export interface Encryptor {
  seal(channel: string, text: string): Promise<{ readonly nonce: string; readonly ciphertext: string }>;
  /** The secret of a channel for its subscribers, in base64. */
  sharedSecret(channel: string): Promise<string>;
}

export interface Options {
  /** Absent: that of the runtime. */
  readonly fetch?: typeof fetch;
  /** Timeout of one attempt. Default 10,000. */
  readonly timeoutMs?: number;
  /** Repetitions of a failed request. Default 2. */
  readonly retries?: number;
  readonly encryptor?: Encryptor;
  /** The prefix of the service's own names, where it is configured to another than `service`. */
  readonly vendor?: string;
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly clock?: () => number;
  onRequest?(request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  }): void;
  onResponse?(response: {
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly attempt: number;
    readonly durationMs: number;
  }): void;
}

/** Credentials of one app; the secret must never reach a browser. */
export type Credentials = { readonly appId: string; readonly key: string; readonly secret: string } & (
  | { readonly url: string }
  | { readonly host: string; readonly port?: number | string; readonly useTLS?: boolean }
);

/** Options of one call. */
export interface Call {
  readonly signal?: AbortSignal;
  /** Timeout of one attempt; absent: that of the client. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The app, and where its service is. */
export interface Target {
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** Origin and path prefix, without a slash at the end. */
  readonly url: string;
}

/** Reads `http(s)://KEY:SECRET@HOST[:PORT][/PREFIX]/apps/ID`. The error does not contain the address: it has the secret. */
export function targetOfUrl(appUrl: string): Target {
  let url: URL;
  try {
    url = new URL(appUrl);
  } catch {
    throw invalid('the app URL is not a URL; expected http(s)://KEY:SECRET@HOST[:PORT][/PREFIX]/apps/ID');
  }
  const [, prefix = '', appId = ''] = /^(.*)\/apps\/([^/]+)\/?$/.exec(url.pathname) ?? [];
  if (!/^https?:$/.test(url.protocol) || appId === '' || url.username === '' || url.password === '') {
    throw invalid('the app URL lacks a part; expected http(s)://KEY:SECRET@HOST[:PORT][/PREFIX]/apps/ID');
  }
  return {
    appId: decodeURIComponent(appId),
    key: decodeURIComponent(url.username),
    secret: decodeURIComponent(url.password),
    url: `${url.protocol}//${url.host}${prefix}`,
  };
}

/** Reads the options object, that of the package `pusher` too. */
export function targetOf(options: Credentials): Target {
  if ('cluster' in options) {
    throw new TypeError('"cluster" is not supported: name the address of the service with "url" or "host"');
  }
  const { appId, key, secret } = options;
  for (const [name, value] of Object.entries({ appId, key, secret })) {
    if (typeof value !== 'string' || value === '') throw invalid(`"${name}" is missing`);
  }
  return { appId, key, secret, url: addressOf(options) };
}

function addressOf(options: Credentials): string {
  if ('url' in options) {
    const { protocol, username } = new URL(options.url);
    if (!/^https?:$/.test(protocol))
      throw invalid(`"url" must begin with http:// or https://, not ${protocol}`);
    if (username !== '') throw invalid('"url" must not contain credentials');
    return options.url.replace(/\/+$/, '');
  }
  const { host, port, useTLS = true } = options;
  if (typeof host !== 'string' || host === '') throw invalid('"url" or "host" is missing');
  return `${useTLS ? 'https' : 'http'}://${host}${port === undefined ? '' : `:${port}`}`;
}
