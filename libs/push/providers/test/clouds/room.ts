import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { engine } from '@carillon/test-backends';
import {
  openProvider,
  type CloudCredential as Credential,
  type Cloud as Provider,
  type ProviderSettings,
  type SendRequest,
} from '../../src/index.js';

interface About {
  readonly origin: string;
  readonly authority: string;
  readonly clientPem: string;
  readonly clientP12: string;
  readonly p12Password: string;
  readonly connections: number;
  readonly answers: Readonly<Record<Provider, Readonly<Record<string, unknown>>>>;
}

export interface Arrived {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly version: string;
  readonly status: number;
}

type Cloud = Provider | `${Provider}-token`;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pem = (key: { export(options: { format: 'pem'; type: 'pkcs8' }): string | Buffer }): string =>
  String(key.export({ format: 'pem', type: 'pkcs8' }));
const jwk = ec.privateKey.export({ format: 'jwk' });
const point = Buffer.concat([
  Buffer.of(4),
  Buffer.from(jwk.x ?? '', 'base64url'),
  Buffer.from(jwk.y ?? '', 'base64url'),
]).toString('base64url');

/** All secrets in the credentials and sends below; none may appear anywhere. */
export const SECRETS = [
  pem(rsa.privateKey).slice(40, 80),
  pem(ec.privateKey).slice(40, 80),
  jwk.d ?? '',
  'a-client-secret',
  'granted-',
  'device-token-of-',
];

export const CREDENTIALS = {
  fcm: {
    provider: 'fcm',
    projectId: 'a-project',
    access: {
      kind: 'serviceAccount',
      clientEmail: 'sender@a-project.example',
      privateKey: pem(rsa.privateKey),
      privateKeyId: 'a-key',
      tokenUri: 'https://oauth2.googleapis.com/token',
    },
  },
  apns: {
    provider: 'apns',
    topic: 'com.example.app',
    environment: 'production',
    access: { kind: 'key', teamId: 'TEAM', keyId: 'KEY', privateKey: pem(ec.privateKey) },
  },
  webpush: {
    provider: 'webpush',
    publicKey: point,
    privateKey: jwk.d ?? '',
    subject: 'mailto:ops@shop.example',
  },
  hms: { provider: 'hms', hmsAppId: '100', access: { kind: 'secret', clientSecret: 'a-client-secret' } },
  wns: {
    provider: 'wns',
    tenantId: null,
    access: { kind: 'secret', packageSid: 'ms-app://s-1', clientSecret: 'a-client-secret' },
  },
} as const satisfies Record<Provider, Credential>;

const PAYLOADS: Readonly<Record<Provider, SendRequest['payload']>> = {
  fcm: { message: { notification: { title: 'Hi' } } },
  apns: { headers: { 'apns-push-type': 'alert', 'apns-priority': '10' }, aps: { alert: { title: 'Hi' } } },
  webpush: { headers: { ttl: 2_419_200, urgency: 'high' }, notification: { title: 'Hi' } },
  hms: { message: { notification: { title: 'Hi' } } },
  wns: {
    type: 'toast',
    tag: 'tag',
    toast: { visual: { binding: { template: 'ToastGeneric', text: ['Hi', 'a < b'] } } },
  },
};

/** The clouds as one test has them for itself. */
export class CloudRoom {
  private constructor(
    readonly about: About,
    readonly name: string,
    readonly say: (command: object) => Promise<unknown>,
    /** Every browser here has the same. */
    readonly keys: { readonly p256dh: string; readonly auth: string },
  ) {}

  static async open(): Promise<CloudRoom> {
    const { url } = await engine('push-clouds');
    const name = `r${randomBytes(6).toString('hex')}`;
    const say = async (command: object): Promise<unknown> => {
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ room: name, ...command }) });
      const body: unknown = await answer.json();
      if (!answer.ok) throw new Error(JSON.stringify(body));
      return body;
    };
    const about = (await say({ do: 'about' })) as About;
    await say({ do: 'make' });
    await say({ do: 'trust', cloud: 'fcm', key: rsa.publicKey.export({ format: 'pem', type: 'spki' }) });
    await say({ do: 'trust', cloud: 'apns', key: ec.publicKey.export({ format: 'pem', type: 'spki' }) });
    const { publicKey: applicationServerKey } = CREDENTIALS.webpush;
    const keys = (await say({ do: 'subscribe', applicationServerKey })) as { p256dh: string; auth: string };
    return new CloudRoom(about, name, say, keys);
  }

  get settings(): ProviderSettings {
    const base = `${this.about.origin}/${this.name}`;
    return {
      endpoints: { fcm: `${base}/fcm`, apns: `${base}/apns`, hms: `${base}/hms/`, wns: `${base}/wns/token` },
      fcmProjectId: null,
      apnsTopic: null,
      vapidContact: null,
      deviceUrls: { allowLocal: true, allowedHosts: [], deniedHosts: [], wnsHosts: ['127.0.0.1'] },
      production: false,
    };
  }

  open(credential: Credential, settings: Partial<ProviderSettings> = {}) {
    const network = { authorities: this.about.authority };
    return openProvider(credential, { ...this.settings, ...settings }, network);
  }

  answer(cloud: Cloud, answer: unknown, more: { token?: string; times?: number } = {}) {
    return this.say({ do: 'answer', cloud, answer, ...more });
  }

  async arrived(cloud: Cloud): Promise<{ count: number; arrived: readonly Arrived[] }> {
    return (await this.say({ do: 'arrived', cloud })) as { count: number; arrived: readonly Arrived[] };
  }

  request(provider: Provider, name: string, more: Partial<SendRequest> = {}): SendRequest {
    return {
      target: { kind: 'recipient', recipient: this.#recipient(provider, name) },
      payload: PAYLOADS[provider],
      deliveryKey: Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64),
      expiresAtMs: null,
      ...more,
    };
  }

  #recipient(provider: Provider, name: string) {
    const { origin } = this.about;
    const { p256dh, auth } = this.keys;
    const recipients = {
      fcm: { transportType: 'gcm', registrationToken: name },
      apns: { transportType: 'apns', deviceToken: name },
      webpush: { transportType: 'web', endpoint: `${origin}/${this.name}/webpush/${name}`, p256dh, auth },
      hms: { transportType: 'hms', registrationToken: name },
      wns: { transportType: 'wns', channelUri: `${origin}/${this.name}/wns/${name}` },
    } as const;
    return recipients[provider];
  }
}
