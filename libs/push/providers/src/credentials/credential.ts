/** FCM credential: a service account, or an access token fetched by the operator. */
export interface FcmCredential {
  readonly provider: 'fcm';
  /** Null: none is known, and every send is refused. */
  readonly projectId: string | null;
  readonly access:
    | {
        readonly kind: 'serviceAccount';
        readonly clientEmail: string;
        /** RSA key as PEM. */
        readonly privateKey: string;
        readonly privateKeyId: string | null;
        readonly tokenUri: string;
      }
    /** Google's application default credentials of this process; the operator's alone. */
    | { readonly kind: 'applicationDefault' }
    | StaticToken;
}

export interface ApnsCredential {
  readonly provider: 'apns';
  /** Bundle id; null: that of `push.apns.topic`. */
  readonly topic: string | null;
  readonly environment: 'production' | 'sandbox';
  readonly access:
    | { readonly kind: 'key'; readonly teamId: string; readonly keyId: string; readonly privateKey: string }
    | { readonly kind: 'pem'; readonly pem: string }
    /** Base64 or base64url of the DER. */
    | { readonly kind: 'p12'; readonly p12: string; readonly password: string }
    | StaticToken;
}

export interface WebPushCredential {
  readonly provider: 'webpush';
  readonly publicKey: string;
  readonly privateKey: string;
  /** `mailto:` or `https:`; null: that of `push.webpush.vapid_contact`. */
  readonly subject: string | null;
}

export interface HmsCredential {
  readonly provider: 'hms';
  readonly hmsAppId: string;
  readonly access: { readonly kind: 'secret'; readonly clientSecret: string } | StaticToken;
}

export interface WnsCredential {
  readonly provider: 'wns';
  /** Null: access tokens come from the older token service. */
  readonly tenantId: string | null;
  readonly access:
    | { readonly kind: 'secret'; readonly packageSid: string; readonly clientSecret: string }
    | StaticToken;
}

/** An access token from the settings; never refreshed. */
export interface StaticToken {
  readonly kind: 'token';
  readonly token: string;
}

/** Channels need nothing but the app that they are of. */
export interface ChannelCredential {
  readonly provider: 'realtime';
  readonly appId: string;
}

/** Credential of a cloud client. Secret: never logged or returned. */
export type CloudCredential =
  | FcmCredential
  | ApnsCredential
  | WebPushCredential
  | HmsCredential
  | WnsCredential;

export type Credential = CloudCredential | ChannelCredential;
