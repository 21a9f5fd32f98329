import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import type { Problem } from '../problem.js';
import { rule, type Rule, type RuleContext } from './rule.js';

/** The content of a PEM file, or a problem if it is missing or invalid. */
type Loaded<T> = { readonly value: T } | { readonly problem: Problem };

function load<T>(
  { files, cwd }: RuleContext,
  path: string,
  file: string,
  kind: string,
  read: (text: string) => T,
): Loaded<T> {
  if (file === '') return { problem: { path, message: 'required when ssl.enabled is set' } };
  const absolute = resolve(cwd, file);
  if (!files.exists(absolute)) return { problem: { path, message: `file not found: ${file}` } };
  try {
    return { value: read(files.read(absolute)) };
  } catch {
    return { problem: { path, message: `not a readable ${kind}: ${file}` } };
  }
}

function checkPair(context: RuleContext): readonly Problem[] {
  const { ssl } = context.config;
  const certificate = load(
    context,
    'ssl.cert_path',
    ssl.cert_path,
    'PEM certificate',
    (text) => new X509Certificate(text),
  );
  const key = load<KeyObject>(context, 'ssl.key_path', ssl.key_path, 'PEM private key', (text) =>
    createPrivateKey({
      key: text,
      ...(ssl.passphrase === null ? {} : { passphrase: ssl.passphrase.reveal() }),
    }),
  );
  const problems = [certificate, key].flatMap((loaded) => ('problem' in loaded ? [loaded.problem] : []));
  const mismatch = 'value' in certificate && 'value' in key && !certificate.value.checkPrivateKey(key.value);
  return mismatch ? [{ path: 'ssl.key_path', message: 'is not the key of the certificate' }] : problems;
}

function checkAuthorities(context: RuleContext): readonly Problem[] {
  const { ca_path: file } = context.config.ssl;
  if (file === null) return [];
  const loaded = load(context, 'ssl.ca_path', file, 'PEM certificate', (text) => new X509Certificate(text));
  return 'problem' in loaded ? [loaded.problem] : [];
}

const certificates: Rule = {
  id: 'tls-files',
  severity: 'error',
  check: (context) =>
    context.config.ssl.enabled ? [...checkPair(context), ...checkAuthorities(context)] : [],
};

/** Rules of TLS on the main listener. */
export const tlsRules: readonly Rule[] = [
  certificates,
  rule(
    'redirect-needs-tls',
    'ssl.redirect_http',
    'needs ssl.enabled',
    ({ ssl }) => ssl.redirect_http && !ssl.enabled,
  ),
];
