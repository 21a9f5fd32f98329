import { type Config } from '@carillon/config';
import { configuration } from '@carillon/testing';
import { NatsDialer } from '../src/dialer.js';

/** The configuration of this environment, beside a store. */
export const configured = (env: Record<string, string>): Config =>
  configuration({ ENVIRONMENT: 'development', CACHE_DRIVER: 'redis', ...env });

/** A dialer of this environment, with its events in a list. */
export function dialerOf(env: Record<string, string>, events: string[] = []): NatsDialer {
  const { nats: settings } = configured(env).adapter;
  return new NatsDialer({
    section: 'adapter.nats',
    settings,
    connectionName: 'test',
    inboxPrefix: 'inbox',
    onEvent: (event) => void events.push(event),
  });
}
