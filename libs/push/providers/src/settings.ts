import { type Config, isProduction } from '@carillon/config';
import type { DeviceUrlRules } from './device-url.js';
import type { Cloud } from './provider.js';

/** What clients take from the configuration, beside their credential. */
export interface ProviderSettings {
  /** Where each provider is instead of its public address; null: there. For WNS it is the token endpoint. */
  readonly endpoints: Readonly<Record<Exclude<Cloud, 'webpush'>, string | null>>;
  /** FCM's project instead of the credential's; null: that. */
  readonly fcmProjectId: string | null;
  /** Of credentials that name none; null: none is known, and what needs it is refused. */
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
