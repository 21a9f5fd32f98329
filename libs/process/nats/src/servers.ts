import type { Config } from '@carillon/config';
import type { DialOptions } from './dial.js';
import { placeOf } from './places.js';

type Settings = Pick<Config['adapter']['nats'], 'password' | 'servers' | 'token' | 'username'>;
type Login = DialOptions['login'];

const SCHEME = /^(?:nats|tls):\/\//i;

/**
 * Where the servers are and how to log in. What the settings say of user, password and token beats what an address
 * says, of which the first counts. Throws an error that names the setting and not the text, which may hold a password.
 */
export function serversOf(
  settings: Settings,
  section: string,
): Pick<DialOptions, 'login' | 'servers' | 'tls'> {
  const urls = settings.servers.map((text) => parse(text, section));
  const named = urls.find(({ username }) => username !== '');
  return {
    servers: urls.map(({ host }) => placeOf(host)),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
    login: ofSettings(settings) ?? ofUrl(named),
  };
}

function parse(text: string, section: string): URL {
  const url = SCHEME.test(text) ? text : `nats://${text}`;
  if (!URL.canParse(url) || new URL(url).hostname === '' || (!SCHEME.test(text) && text.includes('://'))) {
    throw new Error(`${section}.servers: not an address of a NATS server`);
  }
  return new URL(url);
}

/** Null: they say nothing. */
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
