import { checkHost } from '@carillon/http-client';
import type { Recipient } from './target.js';

/** Operator rules for URLs given by devices. */
export interface DeviceUrlRules {
  /** Lets endpoints be inside the own network and on any port; never in production. */
  readonly allowLocal: boolean;
  /** Allowed hosts of web endpoints; empty: all. A leading dot includes subdomains. */
  readonly allowedHosts: readonly string[];
  /** Never these hosts for web endpoints. */
  readonly deniedHosts: readonly string[];
  /** Hosts of channel addresses besides those of WNS. */
  readonly wnsHosts: readonly string[];
}

/** An address of a device is where nothing may be sent. The text does not hold it. */
export class DeviceUrlNotAllowed extends Error {
  override readonly name = 'DeviceUrlNotAllowed';
}

const MAX_BYTES = 2048;
const WNS_HOST = '.notify.windows.com';

/**
 * Checks a URL without resolving its host; run at registration, at publish and before each connection, which may use
 * only public addresses unless `allowLocal`.
 * @throws DeviceUrlNotAllowed
 */
export function checkDeviceUrl(text: string, kind: 'web' | 'wns', rules: DeviceUrlRules): URL {
  if (Buffer.byteLength(text) > MAX_BYTES || !URL.canParse(text)) throw refused('is not an address');
  const url = new URL(text);
  if (url.protocol !== 'https:') throw refused('must be https');
  if (url.username !== '' || url.password !== '') throw refused('must not hold a name or a password');
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (host === '') throw refused('has no host');
  if (!rules.allowLocal) checkPublic(url, host);
  if (kind === 'web') checkLists(host, rules);
  else if (![WNS_HOST, ...rules.wnsHosts].some((allowed) => matches(host, allowed))) {
    throw refused('is not one of the notification service');
  }
  return url;
}

/** The address of this recipient that it named itself, checked; others have none. */
export function checkRecipient(recipient: Recipient, rules: DeviceUrlRules): void {
  if (recipient.transportType === 'web') checkDeviceUrl(recipient.endpoint, 'web', rules);
  if (recipient.transportType === 'wns') checkDeviceUrl(recipient.channelUri, 'wns', rules);
}

function checkPublic(url: URL, host: string): void {
  if (url.port !== '') throw refused('must use port 443');
  if (host === 'localhost' || /\.(localhost|local|internal)$/.test(host)) throw refused('is not public');
  try {
    checkHost(url);
  } catch {
    throw refused('is not public');
  }
}

function checkLists(host: string, { deniedHosts, allowedHosts }: DeviceUrlRules): void {
  const denied = deniedHosts.some((entry) => matches(host, entry));
  const allowed = allowedHosts.length === 0 || allowedHosts.some((entry) => matches(host, entry));
  if (denied || !allowed) throw refused('is on a host that is not allowed');
}

function matches(host: string, entry: string): boolean {
  const name = entry.trim().toLowerCase();
  return name.startsWith('.') ? host === name.slice(1) || host.endsWith(name) : host === name;
}

const refused = (text: string) => new DeviceUrlNotAllowed(`the address ${text}`);
