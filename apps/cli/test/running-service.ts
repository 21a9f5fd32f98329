import { PROCESS_ENV } from '@carillon/testing';
import { type RunningCommand, startCommand } from './run-command.js';

export const APP = { id: 'shop', key: 'shop-key', secret: 'shop-secret' };
export const SERVER = {
  ...PROCESS_ENV,
  METRICS_ENABLED: 'false',
  SERVICE_DEFAULT_APP_ID: APP.id,
  SERVICE_DEFAULT_APP_KEY: APP.key,
  SERVICE_DEFAULT_APP_SECRET: APP.secret,
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
};

/** A server that is ready, started by the command, and the environment that leads to it. */
export async function serve(
  env: Record<string, string> = {},
): Promise<{ readonly server: RunningCommand; readonly env: Record<string, string> }> {
  const server = startCommand(['serve'], { env: { ...SERVER, ...env } });
  await server.says(/"message":"ready"/);
  const [, port = ''] = /"message":"ready","listening":"http:\/\/[^"]*?:(\d+)"/.exec(server.stdout) ?? [];
  const url = `http://127.0.0.1:${port}`;
  return {
    server,
    env: {
      CARILLON_URL: url,
      CARILLON_APP_ID: APP.id,
      CARILLON_APP_KEY: APP.key,
      CARILLON_APP_SECRET: APP.secret,
    },
  };
}
