import { usageError } from '../program/errors.js';

/** Values of one level of the precedence: flags, environment, profile, configuration file, demo. */
export interface Level {
  readonly url?: string | undefined;
  readonly manageUrl?: string | undefined;
  readonly appId?: string | undefined;
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  readonly token?: string | undefined;
}

/** A level with its `app-url` taken apart; the single values win. `name` is that of the parameter in errors. */
export function levelOf(single: Level, appUrl: string | undefined, name: string): Level {
  return { ...(appUrl === undefined || appUrl === '' ? {} : partsOf(appUrl, name)), ...defined(single) };
}

const defined = (level: Level): Level =>
  Object.fromEntries(Object.entries(level).filter(([, value]) => value !== undefined && value !== ''));

function partsOf(appUrl: string, name: string): Level {
  let url: URL;
  try {
    url = new URL(appUrl);
  } catch {
    throw usageError(`${name} is not a URL; expected http(s)://KEY:SECRET@HOST[:PORT][/PREFIX]/apps/ID`);
  }
  const [, prefix = '', appId = ''] = /^(.*)\/apps\/([^/]+)\/?$/.exec(url.pathname) ?? [];
  if (!/^https?:$/.test(url.protocol) || appId === '' || url.username === '' || url.password === '')
    throw usageError(`${name} lacks a part; expected http(s)://KEY:SECRET@HOST[:PORT][/PREFIX]/apps/ID`);
  return {
    url: `${url.protocol}//${url.host}${prefix}`,
    appId: decoded(appId, name),
    key: decoded(url.username, name),
    secret: decoded(url.password, name),
  };
}

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw usageError(`${name} contains a malformed percent-encoding`);
  }
}

/** Returns the base URL without a slash at the end. */
export function baseUrl(text: string, name: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usageError(`${name} is not a URL; expected http(s)://HOST[:PORT][/PREFIX]`);
  }
  if (!/^https?:$/.test(url.protocol)) throw usageError(`${name} must begin with http:// or https://`);
  if (url.username !== '' || url.password !== '')
    throw usageError(`${name} must not contain credentials`, 'use --app-url, or --key and --secret');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
