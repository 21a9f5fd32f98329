import type { Config } from '@carillon/config';
import type { KafkaConfig, SASLOptions } from 'kafkajs';

export type KafkaSettings = Config['adapter']['kafka'];

const PROTOCOLS: ReadonlyMap<string, { readonly ssl: boolean; readonly sasl: boolean }> = new Map([
  ['plaintext', { ssl: false, sasl: false }],
  ['ssl', { ssl: true, sasl: false }],
  ['sasl_plaintext', { ssl: false, sasl: true }],
  ['sasl_ssl', { ssl: true, sasl: true }],
]);

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Attempts of one call inside the client. A session that fails is replaced as a whole, so there are few. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1000, retries: 3 };

/**
 * How to reach the brokers. Without a protocol the user decides: with one `sasl_plaintext`, else `plaintext`.
 *
 * @throws Error that names the setting which cannot be used.
 */
export function clientConfig(settings: KafkaSettings, clientId: string): KafkaConfig {
  const hasUser = settings.sasl_username !== null;
  const name = settings.security_protocol?.toLowerCase() ?? (hasUser ? 'sasl_plaintext' : 'plaintext');
  const protocol = PROTOCOLS.get(name);
  if (protocol === undefined) throw refused('security_protocol', [...PROTOCOLS.keys()], name);
  return {
    clientId,
    brokers: [...settings.brokers],
    ssl: protocol.ssl,
    connectionTimeout: settings.request_timeout_ms,
    requestTimeout: settings.request_timeout_ms,
    retry: RETRY,
    ...(protocol.sasl ? { sasl: sasl(settings) } : {}),
  };
}

function sasl({ sasl_mechanism, sasl_username: username, sasl_password }: KafkaSettings): SASLOptions {
  if (username === null) throw new Error('adapter.kafka.sasl_username: required by security_protocol');
  const name = sasl_mechanism?.toLowerCase() ?? 'plain';
  const mechanism = MECHANISMS.find((one) => one === name);
  if (mechanism === undefined) throw refused('sasl_mechanism', MECHANISMS, name);
  const login = { username, password: sasl_password?.reveal() ?? '' };
  // One by one, because the client's types tie the mechanism to its own login.
  if (mechanism === 'plain') return { mechanism, ...login };
  return mechanism === 'scram-sha-256' ? { mechanism, ...login } : { mechanism, ...login };
}

const refused = (setting: string, allowed: readonly string[], name: string): Error =>
  new Error(`adapter.kafka.${setting}: must be one of ${allowed.join(', ')} (got "${name}")`);
