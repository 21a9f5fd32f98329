/** The clouds, by the names that paths, settings, queues and tables have; in the order answers list them. */
export const PROVIDERS = ['fcm', 'apns', 'webpush', 'hms', 'wns'] as const;

export type Provider = (typeof PROVIDERS)[number];

/** What bodies call them. */
export type ProviderInBodies = 'fcm' | 'apns' | 'webPush' | 'hms' | 'wns';

export const inBodies = (provider: Provider): ProviderInBodies =>
  provider === 'webpush' ? 'webPush' : provider;

const READ: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  ...PROVIDERS.map((provider): [string, Provider] => [provider, provider]),
  ['webPush', 'webpush'],
  ['web_push', 'webpush'],
]);

/** The provider that a body or a query names; null: none. */
export const providerNamed = (name: string): Provider | null => READ.get(name) ?? null;

/** How devices are reached: what a registration calls the way, and whose way it is. */
export const TRANSPORTS = {
  gcm: 'fcm',
  apns: 'apns',
  web: 'webpush',
  hms: 'hms',
  wns: 'wns',
} as const satisfies Record<string, Provider>;

export type TransportType = keyof typeof TRANSPORTS;
