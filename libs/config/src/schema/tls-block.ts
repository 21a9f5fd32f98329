import { bool, bound, optional, path, table } from '../kernel/index.js';

const file = (env: string | null, meaning: string, limit: string) =>
  optional(
    path({
      default: null,
      emptyClears: true,
      ...(env === null ? {} : { env }),
      bounds: [bound(limit, () => null)],
      meaning,
    }),
  );

/** TLS of one kind of connection; `env` is the prefix of its variables, null if it has none. */
export function tlsBlock(env: string | null) {
  const name = (key: string): string | null => (env === null ? null : `${env}_${key}`);
  const flag = (key: string, meaning: string) => {
    const variable = name(key);
    return bool({ default: false, ...(variable === null ? {} : { env: variable }), meaning });
  };
  return table({
    enabled: flag('ENABLED', 'Use TLS'),
    accept_invalid_certs: flag(
      'ACCEPT_INVALID_CERTS',
      'Skip the check of chain and name, for this link only',
    ),
    ca_path: file(name('CA_PATH'), 'PEM certificates of the authorities', 'must exist'),
    client_cert_path: file(
      name('CLIENT_CERT_PATH'),
      'PEM client certificate',
      'must exist; with client_key_path',
    ),
    client_key_path: file(name('CLIENT_KEY_PATH'), 'PEM client key', 'must exist; with client_cert_path'),
  });
}
