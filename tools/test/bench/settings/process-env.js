import { PROCESS_ENV } from '@carillon/testing';

// What the processes that a bench starts have in their environment.

/** The environment of a process of one app, on ports of its own, that a bench has to itself. @param {{ appId: string, key: string, secret: string }} app */
export const processEnv = ({ appId, key, secret }) => ({
  ...PROCESS_ENV,
  SERVICE_DEFAULT_APP_ID: appId,
  SERVICE_DEFAULT_APP_KEY: key,
  SERVICE_DEFAULT_APP_SECRET: secret,
});

/** Where its PostgreSQL is. @param {string} url */
export function postgresEnv(url) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    DATABASE_POSTGRES_HOST: hostname,
    DATABASE_POSTGRES_PORT: port,
    DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
    DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
    DATABASE_POSTGRES_DATABASE: pathname.slice(1),
  };
}
