import { type Config, isProduction } from '@carillon/config';

/** What a first page shows. */
export interface Demo {
  readonly key: string;
  /** The secret that `npm start` publishes; null: the app has one of its own, which no page may hold. */
  readonly secret: string | null;
  /** Where clients connect, from the root of the server on. */
  readonly socketPath: string;
}

/** The app of `npm start`, whose secret anybody may know. */
const PUBLISHED = { key: 'demo-key', secret: 'demo-secret' } as const;

/** The first app of the configuration, to try the server with. Null: in production, or without an app there. */
export function demoOf(config: Config): Demo | null {
  const { path_prefix: prefix } = config;
  const [app] = config.app_manager.array.apps;
  if (isProduction(config) || app === undefined) return null;
  const isPublished = app.key === PUBLISHED.key && app.secret.reveal() === PUBLISHED.secret;
  return {
    key: app.key,
    secret: isPublished ? PUBLISHED.secret : null,
    socketPath: `${prefix.replace(/\/$/, '')}/app/`,
  };
}
