import type { Credential } from './credentials/credential.js';
import type { JsonObject } from './json.js';
import type { SendOutcome } from './outcome.js';
import type { Provider } from './provider.js';
import type { SendTarget } from './target.js';

/** One notification for one target. */
export interface SendRequest {
  readonly target: SendTarget;
  /** Result of `renderPayload` for this provider at admission. */
  readonly payload: JsonObject;
  /** 64 hex digits, equal for every attempt: lets a provider deduplicate, if it can. */
  readonly deliveryKey: string;
  /** Expiry passed to the provider; null: never. */
  readonly expiresAtMs: number | null;
}

/**
 * Client of one provider with one credential. Every client promises:
 * - `send` never rejects: every failure is an outcome. A request is sent at most twice, the second time only after a
 * refused access token was renewed. It ends within 15 s, including connection and token, or when `signal` aborts,
 * with outcome `retryable` of `network_transport`.
 * - Sends may run concurrently; they share connections and one access token, fetched once.
 * - A URL given by a device is checked again, and connected to only if all its addresses are public
 * (`checkDeviceUrl`, and the addresses at connection time). Redirects are not followed. At most 64 KiB of a response
 * are read.
 * - Outcomes, errors and logs contain no secrets: no token, endpoint, key or response text.
 * - Connections, streams and cached tokens are bounded.
 */
export interface PushClient {
  readonly provider: Provider;
  send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
  /** Values of `push_provider_connections` and `push_provider_streams_active`. */
  readonly usage: { readonly connections: number; readonly streams: number };
  /** Lets running sends end and releases connections. Idempotent, never rejects. */
  close(): Promise<void>;
}

/**
 * Opens the clients of providers. The library of a provider is loaded when its first client is opened; opening makes
 * no connection. Rejects with `ProviderUnavailable` if the provider is not included.
 */
export interface PushProviders {
  open(credential: Credential): Promise<PushClient>;
}

/** A notification as the message of a channel. */
export interface ChannelMessage {
  readonly appId: string;
  readonly channel: string;
  /** The same at every attempt. */
  readonly id: string;
  /** JSON text. */
  readonly text: string;
}

/**
 * Delivery to channels of the service itself. Resolves when the message is published, by this or an earlier attempt:
 * an id is never delivered twice. Rejects with `ChannelRefused` if a retry would fail too.
 */
export interface ChannelDelivery {
  deliver(message: ChannelMessage): Promise<void>;
}

/** The message cannot be published to that channel. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused';
}

/** This build cannot reach the provider. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';

  constructor(readonly provider: Provider) {
    super(`provider ${provider} is not available in this build`);
  }
}
