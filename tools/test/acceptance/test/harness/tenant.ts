/** What an app of the service may set, in the words of its record. */
export interface Policy {
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly features?: Readonly<Record<string, boolean>>;
  readonly channels?: Readonly<Record<string, unknown>>;
  readonly history?: Readonly<Record<string, unknown>>;
  readonly webhooks?: readonly Readonly<Record<string, unknown>>[];
}

/** One app of the service as the configuration file holds it. */
export interface Tenant {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly policy: Policy;
}

/** An app with credentials of its own, told apart from every other text so that a leak would show. */
export const tenant = (id: string, policy: Policy = {}, enabled = true): Tenant => ({
  id,
  key: `${id}-key-7f3c`,
  secret: `${id}-s3cr3t-for-tests-only`,
  enabled,
  policy,
});

/** An app whose clients may send events and sign in: what most client libraries expect. */
export const openTenant = (id: string, policy: Policy = {}): Tenant =>
  tenant(id, {
    ...policy,
    features: {
      enable_client_messages: true,
      enable_user_authentication: true,
      enable_watchlist_events: true,
      ...policy.features,
    },
  });
