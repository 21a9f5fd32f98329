import { createECDH, createPrivateKey } from 'node:crypto';
import { isEndpoint } from '../endpoint.js';
import { isObject, type JsonObject } from '../json.js';
import type { Cloud } from '../provider.js';
import type { CloudCredential } from './credential.js';

/** Stored form of a credential: visible and encrypted fields. */
export interface CredentialFields {
  readonly open: Readonly<Record<string, string>>;
  readonly secret: Readonly<Record<string, string>>;
}

/** The credential lacks something or contradicts itself. The text names fields and holds none of their values. */
export class InvalidCredential extends Error {
  override readonly name = 'InvalidCredential';
}

const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** The fields of a body that make a credential of this provider, checked; others are ignored. */
export function readCredentialFields(provider: Cloud, body: JsonObject): CredentialFields {
  return READERS[provider](body);
}

/** The credential that such fields make. */
export const credentialOf = (provider: Cloud, fields: CredentialFields): CloudCredential =>
  MAKERS[provider](fields);

const MAKERS: Readonly<Record<Cloud, (fields: CredentialFields) => CloudCredential>> = {
  fcm({ secret }) {
    const { projectId, ...account } = serviceAccount(secret['serviceAccountJson'] ?? '');
    return { provider: 'fcm', projectId, access: { kind: 'serviceAccount', ...account } };
  },
  apns: ({ open, secret }) => ({
    provider: 'apns',
    topic: open['topic'] ?? null,
    environment: open['environment'] === 'sandbox' ? 'sandbox' : 'production',
    access: apnsAccess(open, secret),
  }),
  webpush: ({ open, secret }) => ({
    provider: 'webpush',
    publicKey: open['publicKey'] ?? '',
    privateKey: secret['privateKey'] ?? '',
    subject: open['subject'] ?? null,
  }),
  hms: ({ open, secret }) => ({
    provider: 'hms',
    hmsAppId: open['hmsAppId'] ?? '',
    access: { kind: 'secret', clientSecret: secret['clientSecret'] ?? '' },
  }),
  wns: ({ open, secret }) => ({
    provider: 'wns',
    tenantId: open['tenantId'] ?? null,
    access: {
      kind: 'secret',
      packageSid: open['packageSid'] ?? '',
      clientSecret: secret['clientSecret'] ?? '',
    },
  }),
};

const READERS: Readonly<Record<Cloud, (body: JsonObject) => CredentialFields>> = {
  fcm: readFcm,
  apns: readApns,
  webpush: readWebPush,
  hms: (body) => ({
    open: { hmsAppId: needed(body, 'hmsAppId') },
    secret: { clientSecret: needed(body, 'clientSecret') },
  }),
  wns: (body) => ({
    open: { packageSid: needed(body, 'packageSid'), ...named({ tenantId: optional(body, 'tenantId') }) },
    secret: { clientSecret: needed(body, 'clientSecret') },
  }),
};

function readFcm(body: JsonObject): CredentialFields {
  const given = body['serviceAccountJson'];
  if (given === undefined || given === null || given === '') {
    throw new InvalidCredential('serviceAccountJson is required');
  }
  const json = typeof given === 'string' ? given : JSON.stringify(given);
  const { clientEmail, projectId } = serviceAccount(json);
  return {
    open: named({ clientEmail, projectId: projectId ?? undefined }),
    secret: { serviceAccountJson: json },
  };
}

interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId: string | null;
  readonly tokenUri: string;
  readonly projectId: string | null;
}

/** Origin of a service account. Outside production, an operator's `token_uri` may be plain http on loopback. */
type AccountOwner = { readonly kind: 'app' } | { readonly kind: 'operator'; readonly production: boolean };

/** A service account as its console hands it out, checked. */
export function serviceAccount(json: string, owner: AccountOwner = { kind: 'app' }): ServiceAccount {
  const account = parsed(json);
  if (!isObject(account)) throw new InvalidCredential('serviceAccountJson must be a JSON object');
  const privateKey = withLineBreaks(needed(account, 'private_key'));
  checkKey(privateKey, 'rsa', 'private_key of serviceAccountJson must be an RSA key as PEM');
  const tokenUri = optional(account, 'token_uri') ?? GOOGLE_TOKEN_URI;
  checkTokenUri(tokenUri, owner);
  return {
    clientEmail: needed(account, 'client_email'),
    privateKey,
    privateKeyId: optional(account, 'private_key_id') ?? null,
    tokenUri,
    projectId: optional(account, 'project_id') ?? null,
  };
}

/** Apps name Google's token service alone; operators name any, since their endpoints are trusted. */
function checkTokenUri(text: string, owner: AccountOwner): void {
  const rule =
    owner.kind === 'app'
      ? 'https on googleapis.com, on port 443 and without user information'
      : 'https, or outside production http on loopback, without user information';
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.password === '';
  const isAllowed = isPlain && (owner.kind === 'app' ? isOfGoogle(url) : isEndpoint(url, owner.production));
  if (!isAllowed) throw new InvalidCredential(`token_uri of serviceAccountJson must be ${rule}`);
}

const isOfGoogle = ({ protocol, hostname, port }: URL): boolean =>
  protocol === 'https:' &&
  port === '' &&
  (hostname === 'googleapis.com' || hostname.endsWith('.googleapis.com'));

function readApns(body: JsonObject): CredentialFields {
  const text = (name: string): string | undefined => optional(body, name);
  const environment = text('environment') ?? 'production';
  if (environment !== 'production' && environment !== 'sandbox') {
    throw new InvalidCredential('environment must be production or sandbox');
  }
  const [teamId, keyId, key] = [text('teamId'), text('keyId'), text('privateKey')];
  const some = [teamId, keyId, key].filter((one) => one !== undefined).length;
  if (some > 0 && some < 3) throw new InvalidCredential('teamId, keyId and privateKey go together');
  const privateKey = key === undefined ? undefined : withLineBreaks(key);
  if (privateKey !== undefined) checkKey(privateKey, 'ec', 'privateKey must be an EC P-256 key as PEM');
  const [pem, p12] = [text('pem'), text('p12')];
  if (
    pem !== undefined &&
    !(/-----BEGIN CERTIFICATE-----/.test(pem) && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem))
  ) {
    throw new InvalidCredential('pem must hold a certificate and its key');
  }
  if (p12 !== undefined && !/^[A-Za-z0-9+/_\-\s]+=*\s*$/.test(p12)) {
    throw new InvalidCredential('p12 must be base64');
  }
  const password = body['p12Password'];
  if (p12 !== undefined && typeof password !== 'string')
    throw new InvalidCredential('p12Password is required');
  if (some === 0 && pem === undefined && p12 === undefined) {
    throw new InvalidCredential(
      'one of teamId with keyId and privateKey, pem, or p12 with p12Password is required',
    );
  }
  return {
    open: named({ environment, topic: text('topic'), teamId, keyId }),
    secret: named({
      privateKey,
      pem,
      p12,
      p12Password: p12 !== undefined && typeof password === 'string' ? password : undefined,
    }),
  };
}

type Fields = Readonly<Record<string, string>>;

/** Access method by precedence: key, certificate, PKCS#12 container. */
function apnsAccess(open: Fields, secret: Fields): Extract<CloudCredential, { provider: 'apns' }>['access'] {
  const { teamId, keyId } = open;
  const { privateKey, pem, p12, p12Password = '' } = secret;
  if (teamId !== undefined && keyId !== undefined && privateKey !== undefined) {
    return { kind: 'key', teamId, keyId, privateKey };
  }
  if (pem !== undefined) return { kind: 'pem', pem };
  return { kind: 'p12', p12: p12 ?? '', password: p12Password };
}

const KEY_TEXT = /^[A-Za-z0-9_-]+={0,2}$/;

function readWebPush(body: JsonObject): CredentialFields {
  const [publicKey, privateKey] = [needed(body, 'publicKey'), needed(body, 'privateKey')];
  const subject = optional(body, 'subject');
  if (subject !== undefined && !/^(mailto:|https:)./.test(subject)) {
    throw new InvalidCredential('subject must be a mailto: or https: address');
  }
  const point = Buffer.from(publicKey, 'base64url');
  if (!KEY_TEXT.test(publicKey) || point.length !== 65 || point[0] !== 4) {
    throw new InvalidCredential('publicKey must be base64url of an uncompressed P-256 point');
  }
  if (!vapidPublicKey(privateKey)?.equals(point)) {
    throw new InvalidCredential('privateKey must be base64url of the 32 bytes that match publicKey');
  }
  return { open: named({ publicKey, subject }), secret: { privateKey } };
}

/** Public point of a 32-byte signing key; null if invalid. */
export function vapidPublicKey(privateKey: string): Buffer | null {
  const bytes = Buffer.from(privateKey, 'base64url');
  if (!KEY_TEXT.test(privateKey) || bytes.length !== 32) return null;
  const curve = createECDH('prime256v1');
  try {
    curve.setPrivateKey(bytes);
  } catch {
    return null;
  }
  return curve.getPublicKey();
}

function checkKey(pem: string, type: 'ec' | 'rsa', text: string): void {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    const curve = asymmetricKeyDetails?.namedCurve;
    if (asymmetricKeyType === type && (type === 'rsa' || curve === 'prime256v1')) return;
  } catch {
    // The parse error adds nothing and might contain a part of the key.
  }
  throw new InvalidCredential(text);
}

/** Environment variables and consoles write line breaks as two characters. */
export const withLineBreaks = (pem: string): string => pem.replaceAll(String.raw`\n`, '\n');

function needed(body: JsonObject, name: string): string {
  const value = optional(body, name);
  if (value === undefined) throw new InvalidCredential(`${name} is required`);
  return value;
}

function optional(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.trim() === '') {
    throw new InvalidCredential(`${name} must be a string that is not blank`);
  }
  return value;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const named = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
