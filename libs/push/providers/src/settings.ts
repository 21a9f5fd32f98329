import { type Config, isProduction } from '@carillon/config';
import type { DeviceUrlRules } from './device-url.js';
import type { Cloud } from './provider.js';

/** Settings of clients besides their credential. */
export interface ProviderSettings {
  /** Replacement URLs of providers; null: the public one. For WNS it is the token endpoint. */
  readonly endpoints: Readonly<Record<Exclude<Cloud, 'webpush'>, string | null>>;
  /** FCM's project instead of the credential's; null: that. */
  readonly fcmProjectId: string | null;
  /** Default of credentials without one; null: none, and requests that need it are refused. */
  readonly apnsTopic: string | null;
  readonly vapidContact: string | null;
  readonly deviceUrls: DeviceUrlRules;
  /** False: endpoints of the operator may be plain http on loopback. */
  readonly production: boolean;
}

export const deviceUrlRules = ({ push }: Pick<Config, 'push'>): DeviceUrlRules => ({
  allowLocal: push.webpush.allow_local_endpoints,
  allowedHosts: push.webpush.allowed_hosts,
  deniedHosts: push.webpush.denied_hosts,
  wnsHosts: push.wns.allowed_hosts,
});

export function providerSettings(config: Config): ProviderSettings {
  const { fcm, apns, webpush, hms, wns } = config.push;
  return {
    endpoints: { fcm: fcm.endpoint, apns: apns.endpoint, hms: hms.endpoint, wns: wns.endpoint },
    fcmProjectId: fcm.project_id,
    apnsTopic: apns.topic,
    vapidContact: webpush.vapid_contact,
    deviceUrls: deviceUrlRules(config),
    production: isProduction(config),
  };
}
