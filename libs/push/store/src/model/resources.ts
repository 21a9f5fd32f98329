/** Stored form of a credential: visible and encrypted fields. */
export interface StoredCredential {
  readonly appId: string;
  readonly credentialId: string;
  readonly provider: string;
  readonly version: number;
  readonly openFields: Readonly<Record<string, string>>;
  readonly sealedFields: Readonly<Record<string, string>>;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface StoredTemplate {
  readonly appId: string;
  readonly templateId: string;
  readonly defaultLocale: string;
  /** JSON. */
  readonly locales: string;
  /** JSON. */
  readonly overrides: string;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export type DeviceState = 'ACTIVE' | 'FAILING' | 'FAILED';

export interface StoredDevice {
  readonly appId: string;
  readonly deviceId: string;
  readonly clientId: string | null;
  readonly formFactor: string;
  readonly platform: string;
  /** JSON; null: none. Never shown. */
  readonly metadata: string | null;
  /** Hash of the device's identity token. */
  readonly identityHash: string;
  readonly timezone: string;
  readonly locale: string;
  readonly lastActiveMs: number;
  readonly state: DeviceState;
  readonly failureCount: number;
  readonly errorReason: string | null;
  readonly transport: string;
  readonly provider: string;
  readonly tokenHash: string;
  /** Sealed, or JSON where there is no master key. */
  readonly recipient: string;
  readonly rateCapacity: number | null;
  readonly rateRefill: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** Prefix of the device id of a row for all devices of a client. */
export const CLIENT_SCOPE = '__service_client_scope__:';

export interface StoredSubscription {
  readonly appId: string;
  readonly channel: string;
  /** Or `CLIENT_SCOPE` and the hash of the client's id. */
  readonly deviceId: string;
  readonly clientId: string | null;
  /** Null in the row of a client, as is the hash. */
  readonly provider: string | null;
  readonly tokenHash: string | null;
  readonly credentialVersion: number | null;
  readonly updatedMs: number;
}

/** A subscriber of a channel. */
export interface Subscriber {
  /** Device id of the subscription; the position of the page. */
  readonly deviceId: string;
  /** For a client row: all its devices are subscribed. */
  readonly clientId: string | null;
  /** Null: the row of a client, or the device is gone. */
  readonly device: Pick<StoredDevice, 'provider' | 'state' | 'tokenHash'> | null;
}

/** Something that other processes have to know, such as that a credential changed. */
export interface OperatorEvent {
  readonly appId: string;
  readonly eventId: string;
  readonly subject: string;
  readonly occurredMs: number;
}
