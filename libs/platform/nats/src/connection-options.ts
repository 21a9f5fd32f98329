import type { ConnectionOptions } from '@nats-io/transport-node';
import type { Config } from '@carillon/config';

type Settings = Pick<Config['adapter']['nats'], 'password' | 'servers' | 'token' | 'username'>;
type Login = Pick<ConnectionOptions, 'pass' | 'token' | 'user'>;

export interface ServerOptions {
  /** With their scheme where they are WebSocket URLs, as `host:port` otherwise. */
  readonly servers: readonly string[];
  readonly isWebSocket: boolean;
  readonly isTls: boolean;
  readonly login: Login;
}

const SCHEME = /^(?:nats|tls|wss?):\/\//i;

/**
 * Reads addresses and login. User, password and token of the settings win over those of an address, of which the first
 * counts. Throws an error that names the setting and not the text, which may hold a password.
 */
export function serverOptions(settings: Settings, section: string): ServerOptions {
  const urls = settings.servers.map((text) => parse(text, section));
  const isWebSocket = urls.some(isWs);
  if (isWebSocket && !urls.every(isWs)) {
    throw new Error(`${section}.servers: WebSocket URLs and other addresses cannot be mixed`);
  }
  return {
    servers: urls.map((url) => (isWebSocket ? `${url.protocol}//${url.host}${pathOf(url)}` : url.host)),
    isWebSocket,
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
    login: ofSettings(settings) ?? ofUrl(urls.find(({ username }) => username !== '')),
  };
}

const isWs = ({ protocol }: URL): boolean => protocol === 'ws:' || protocol === 'wss:';
const pathOf = ({ pathname }: URL): string => (pathname === '/' ? '' : pathname);

function parse(text: string, section: string): URL {
  const url = SCHEME.test(text) ? text : `nats://${text}`;
  if (!URL.canParse(url) || new URL(url).hostname === '' || (!SCHEME.test(text) && text.includes('://'))) {
    throw new Error(`${section}.servers: not an address of a NATS server`);
  }
  return new URL(url);
}

/** Null: the settings name no login. */
function ofSettings({ username, password, token }: Settings): Login | null {
  if (token !== null) return { token: token.reveal() };
  if (username === null) return null;
  return { user: username, ...(password === null ? {} : { pass: password.reveal() }) };
}

/** A name without a password is a token. */
function ofUrl(url: URL | undefined): Login {
  if (url === undefined) return {};
  const name = decodeURIComponent(url.username);
  return url.password === '' ? { token: name } : { user: name, pass: decodeURIComponent(url.password) };
}
