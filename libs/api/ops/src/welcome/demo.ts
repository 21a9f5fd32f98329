import { type Config, isProduction } from '@carillon/config';

/** Content of the start page. */
export interface Demo {
  readonly key: string;
  /** The secret that `npm start` publishes; null: the app has one of its own, which no page may hold. */
  readonly secret: string | null;
  /** WebSocket path from the root of the server. */
  readonly socketPath: string;
}

/** App of `npm start`, whose secret is public. */
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
