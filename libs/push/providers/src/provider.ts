/** The clouds, by the names that paths, settings, queues and tables have; in the order answers list them. */
export const CLOUDS = ['fcm', 'apns', 'webpush', 'hms', 'wns'] as const;

export type Cloud = (typeof CLOUDS)[number];

/** The clouds, and this service itself: devices that are reached by a channel of it, where Ably clients are spoken to. */
export const PROVIDERS = [...CLOUDS, 'realtime'] as const;

export type Provider = (typeof PROVIDERS)[number];

export const isCloud = (provider: Provider): provider is Cloud => provider !== 'realtime';

/** Provider names in request bodies. */
export type ProviderInBodies = Exclude<Provider, 'webpush'> | 'webPush';

export const inBodies = (provider: Provider): ProviderInBodies =>
  provider === 'webpush' ? 'webPush' : provider;

const READ: ReadonlyMap<string, Cloud> = new Map<string, Cloud>([
  ...CLOUDS.map((cloud): [string, Cloud] => [cloud, cloud]),
  ['webPush', 'webpush'],
  ['web_push', 'webpush'],
]);

/** The cloud that a body or a query names; null: none. */
export const providerNamed = (name: string): Cloud | null => READ.get(name) ?? null;

/** Provider of each transport name in registrations. */
export const TRANSPORTS = {
  gcm: 'fcm',
  apns: 'apns',
  web: 'webpush',
  hms: 'hms',
  wns: 'wns',
  realtime: 'realtime',
} as const satisfies Record<string, Provider>;

export type TransportType = keyof typeof TRANSPORTS;
