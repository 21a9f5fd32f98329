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

/** Retries of one request inside the client library. A session that fails is replaced as a whole, so there are few. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1000, retries: 3 };

/**
 * Translates a settings block into the client library's configuration. Without `security_protocol`, a configured user
 * selects `sasl_plaintext`, and no user selects `plaintext`.
 *
 * @param block Path of the settings, such as `queue.kafka`; errors begin with it.
 * @throws Error that names the setting with an unusable value.
 */
export function clientConfig(settings: KafkaSettings, block: string, clientId: string): KafkaConfig {
  const hasUser = settings.sasl_username !== null;
  const name = settings.security_protocol?.toLowerCase() ?? (hasUser ? 'sasl_plaintext' : 'plaintext');
  const protocol = PROTOCOLS.get(name);
  if (protocol === undefined) throw invalid(`${block}.security_protocol`, [...PROTOCOLS.keys()], name);
  return {
    clientId,
    brokers: [...settings.brokers],
    ssl: protocol.ssl,
    connectionTimeout: settings.request_timeout_ms,
    requestTimeout: settings.request_timeout_ms,
    retry: RETRY,
    ...(protocol.sasl ? { sasl: sasl(settings, block) } : {}),
  };
}

function sasl(settings: KafkaSettings, block: string): SASLOptions {
  const { sasl_mechanism, sasl_username: username, sasl_password } = settings;
  if (username === null) throw new Error(`${block}.sasl_username: required by security_protocol`);
  const name = sasl_mechanism?.toLowerCase() ?? 'plain';
  const mechanism = MECHANISMS.find((one) => one === name);
  if (mechanism === undefined) throw invalid(`${block}.sasl_mechanism`, MECHANISMS, name);
  const login = { username, password: sasl_password?.reveal() ?? '' };
  // One by one, because the library's types tie each mechanism to its own login.
  if (mechanism === 'plain') return { mechanism, ...login };
  return mechanism === 'scram-sha-256' ? { mechanism, ...login } : { mechanism, ...login };
}

const invalid = (setting: string, allowed: readonly string[], name: string): Error =>
  new Error(`${setting}: must be one of ${allowed.join(', ')} (got "${name}")`);
