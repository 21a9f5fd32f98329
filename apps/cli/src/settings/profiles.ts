import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { configurationError, usageError } from '../program/errors.js';
import type { Env } from '../program/invocation.js';
import { unknownWord } from '../program/nearest.js';
import { type Level, levelOf } from './level.js';

/** A profile: values of the level, and the configuration file it names. */
export interface Profile extends Level {
  readonly config?: string;
}

const MEMBERS = ['url', 'manage_url', 'app_url', 'app_id', 'key', 'secret', 'token', 'config'] as const;
const OTHERS_MAY_READ = 0o044;

function profilesPath(env: Env): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData, HOME: home } = env;
  const base =
    xdg !== undefined && xdg !== ''
      ? xdg
      : process.platform === 'win32' && appData !== undefined
        ? appData
        : join(home ?? homedir(), '.config');
  return join(base, 'carillon', 'config.toml');
}

/** Reads the profile that is named, else the default one. Without a file or a default: an empty level. */
export async function readProfile(env: Env, named: string | undefined): Promise<Profile> {
  const path = profilesPath(env);
  const text = readPrivate(path);
  if (text === null) {
    if (named !== undefined) throw usageError(`unknown profile "${named}"; there is no file ${path}`);
    return {};
  }
  const { profiles, initial } = await parsed(text, path);
  const name = named ?? initial;
  if (name === undefined) return {};
  const profile = profiles[name];
  if (!Object.hasOwn(profiles, name) || profile === undefined)
    throw usageError(unknownWord('profile', name, Object.keys(profiles)));
  return profileOf(profile, `profiles.${name}`, path);
}

/** Names for completion; empty if the file cannot be used. */
export async function profileNames(env: Env): Promise<readonly string[]> {
  try {
    const path = profilesPath(env);
    const text = readPrivate(path);
    return text === null ? [] : Object.keys((await parsed(text, path)).profiles);
  } catch {
    return [];
  }
}

/** Null: there is no file. */
function readPrivate(path: string): string | null {
  try {
    const { mode } = statSync(path);
    if (process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0)
      throw configurationError(`${path} is readable by others`, `chmod 600 ${path}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'EACCES' || code === 'EISDIR') throw configurationError(`${path} cannot be read (${code})`);
    throw error;
  }
}

interface ProfilesFile {
  readonly profiles: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly initial: string | undefined;
}

async function parsed(text: string, path: string): Promise<ProfilesFile> {
  const { parse } = await import('smol-toml');
  try {
    const { profiles = {}, default: initial } = parse(text) as {
      readonly profiles?: ProfilesFile['profiles'];
      readonly default?: unknown;
    };
    return { profiles, initial: typeof initial === 'string' ? initial : undefined };
  } catch (error) {
    // The library quotes the line, which may hold a secret.
    const { line } = error as { readonly line?: number };
    throw configurationError(`${path}${line === undefined ? '' : `:${line}`} is not valid TOML`);
  }
}

function profileOf(raw: Readonly<Record<string, unknown>>, name: string, path: string): Profile {
  for (const [member, value] of Object.entries(raw)) {
    if (!MEMBERS.some((one) => one === member))
      throw configurationError(`${path}: ${unknownWord('setting', `${name}.${member}`, MEMBERS)}`);
    if (typeof value !== 'string') throw configurationError(`${path}: ${name}.${member} is not text`);
  }
  const text = (member: (typeof MEMBERS)[number]): string | undefined => raw[member] as string | undefined;
  const config = text('config');
  const single = {
    url: text('url'),
    manageUrl: text('manage_url'),
    appId: text('app_id'),
    key: text('key'),
    secret: text('secret'),
    token: text('token'),
  };
  return {
    ...levelOf(single, text('app_url'), `${name}.app_url`),
    ...(config === undefined ? {} : { config }),
  };
}
