import { configurationError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { Connection } from './connection.js';
import { type Level, levelOf } from './level.js';
import { readProfile } from './profiles.js';
import { readSecret } from './secret-input.js';

type Input = Omit<Invocation, 'connection'>;

/** Brings the levels together: flags, environment, profile, configuration file of the service. */
export async function resolveConnection(input: Input): Promise<Connection> {
  const { values, env } = input;
  const flags = await flagLevel(input);
  const environment = levelOf(
    {
      url: env['CARILLON_URL'],
      manageUrl: env['CARILLON_MANAGE_URL'],
      appId: env['CARILLON_APP_ID'],
      key: env['CARILLON_APP_KEY'],
      secret: env['CARILLON_APP_SECRET'],
      token: env['CARILLON_TOKEN'],
    },
    env['CARILLON_APP_URL'],
    'CARILLON_APP_URL',
  );
  const { config, ...profile } = await readProfile(
    env,
    values.text('profile') ?? (env['CARILLON_PROFILE'] || undefined),
  );
  const above = [flags, environment, profile];
  const appId = above.find((level) => level.appId !== undefined)?.appId;
  const file = isComplete(above) ? {} : await fileLevel(input, values.text('config') ?? config, appId);
  return new Connection([...above, file]);
}

async function flagLevel(input: Input): Promise<Level> {
  const { values } = input;
  const secret = async (flag: string): Promise<string | undefined> => {
    const text = values.text(flag);
    return text === undefined ? undefined : readSecret(text, `--${flag}`, input);
  };
  const appUrl = await secret('app-url');
  const single = {
    url: values.text('url'),
    manageUrl: values.text('manage-url'),
    appId: values.text('app'),
    key: values.text('key'),
    secret: await secret('secret'),
    token: await secret('token'),
  };
  return levelOf(single, appUrl, '--app-url');
}

/** Whether nothing is left for the configuration file to add. */
const isComplete = (levels: readonly Level[]): boolean =>
  (['url', 'appId', 'key', 'secret'] as const).every((member) =>
    levels.some((level) => level[member] !== undefined),
  );

/** Address and app of the service's own configuration; empty if there is no file. */
async function fileLevel(input: Input, named: string | undefined, appId: string | undefined): Promise<Level> {
  const { env, cwd, terminal } = input;
  const { existsSync } = await import('node:fs');
  const { join } = await import('node:path');
  const found = ['config/config.toml', 'config/config.json'].some((path) => existsSync(join(cwd, path)));
  if (named === undefined && !found) return {};
  const { readServiceConfig } = await import('../service/service-config.js');
  const outcome = readServiceConfig({ process: 'server', file: named ?? null, env, cwd });
  if (outcome.problems.length > 0) {
    const text = `the configuration of the service is invalid: ${outcome.problems[0]?.message ?? ''}`;
    if (named !== undefined) throw configurationError(text, 'carillon config check');
    terminal.warn(`${text}; it is not used for addresses and credentials`);
    return {};
  }
  const { config } = outcome;
  const isTls = config.ssl.enabled;
  const host = /^(0\.0\.0\.0|::|\[::\])$/.test(config.host) ? '127.0.0.1' : config.host;
  const { apps } = config.app_manager.array;
  const app = apps.length === 1 ? apps[0] : apps.find(({ id }) => id === appId);
  const prefix = config.path_prefix.replace(/\/+$/, '');
  return {
    url: `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${config.port}${prefix}`,
    ...(app === undefined ? {} : { appId: app.id, key: app.key, secret: app.secret.reveal() }),
  };
}
