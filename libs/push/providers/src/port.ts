import type { Credential } from './credentials/credential.js';
import type { JsonObject } from './json.js';
import type { SendOutcome } from './outcome.js';
import type { Provider } from './provider.js';
import type { SendTarget } from './target.js';

/** One notification for one target. */
export interface SendRequest {
  readonly target: SendTarget;
  /** What `renderPayload` made for this provider when the publish was accepted. */
  readonly payload: JsonObject;
  /** 64 hex digits, the same at every attempt: what a provider can recognize a repeated send by, if it can. */
  readonly deliveryKey: string;
  /** When the notification loses its worth, which the provider is told; null: never. */
  readonly expiresAtMs: number | null;
}

/**
 * The way to one provider with one credential. Every client promises:
 *
 * - `send` never rejects: whatever happens is an outcome. A request is sent at most twice, the second time only after
 *   an access token was refused and renewed. It ends within 15 s, connection and token included, or with `signal`, and
 *   then the outcome is `retryable` of `network_transport`.
 * - Many sends may run at once; they share connections and one access token, fetched by one of them.
 * - An address given by a device is checked again and connected to only where every address its name leads to is public
 *   (`checkDeviceUrl`, and the addresses at the time of connecting). Redirects are answers, not followed. Of an answer
 *   at most 64 KiB are read.
 * - Nothing secret is in an outcome, an error or a log: no token, endpoint, key or text of an answer.
 * - Bounded: connections, streams, cached tokens.
 */
export interface PushClient {
  readonly provider: Provider;
  send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
  /** What `push_provider_connections` and `push_provider_streams_active` show. */
  readonly usage: { readonly connections: number; readonly streams: number };
  /** Lets running sends end and releases connections. Idempotent, never rejects. */
  close(): Promise<void>;
}

/**
 * Opens the clients of providers. The library of a provider is loaded when its first client is opened; opening connects
 * to nobody. Rejects with `ProviderUnavailable` when this build has no such provider.
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
 * How the channels of the service itself are told. Resolves when the message is published, by this or an earlier attempt:
 * nobody gets two of one id. Rejects with `ChannelRefused` where another attempt would come to the same.
 */
export interface ChannelDelivery {
  deliver(message: ChannelMessage): Promise<void>;
}

/** What is to be told cannot be told on that channel. */
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
