import { AiChannels, headerLimits } from '@carillon/history-ai';
import type { App } from '@carillon/app-registry';
import type { Cache } from '@carillon/cache';
import { Channels, type OrdinaryChannel } from '@carillon/channels';
import type { Config } from '@carillon/config';
import { MessageReceipts, OncePublisher, type Operations, PublishNews } from '@carillon/api-operations';
import type { BatchPublisher } from '@carillon/history-publish';
import { WireNames } from '@carillon/protocol';
import type { Triggers } from '@carillon/push-core';
import type { Logger, Metrics } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import { AiMessages } from './ai.js';
import { type AnnotationFinder, Annotations } from './annotations.js';
import { Authentication } from './authentication.js';
import { ConnectionKeys } from './connection-keys.js';
import { DerivedFilters } from './derived/derived-filters.js';
import { Edits } from './edits.js';
import { type Apps, KeyRing } from './key-ring.js';
import { isReserved } from './message/native.js';
import type { MessageRules, NamedRules } from './message/read-message.js';
import { CompatPublisher } from './publisher.js';
import { MessagePush } from './push/message-push.js';
import { Revocations } from './revocations.js';
import { RuntimeCounters } from './statistics/counters.js';
import { Statistics } from './statistics/statistics.js';
import { TokenRequests } from './token-request.js';
import { Tokens } from './tokens.js';

/** Dependencies of the core. */
export interface CompatCoreParts {
  readonly config: Config;
  readonly apps: Apps;
  readonly cache: Cache;
  readonly publisher: BatchPublisher;
  readonly operations: Operations;
  /** Null: this process has no access to mutable messages. */
  readonly messages: AnnotationFinder | null;
  /** Null: nothing is pushed by this process. */
  readonly triggers: Triggers | null;
  readonly webhooks: Pick<WebhookEvents, 'emit' | 'wants'>;
  readonly metrics: Pick<Metrics, 'counter'>;
  readonly log: Logger;
}

const LARGEST_MESSAGE_BYTES = 65_536;
/** A message that is sent again after a resume is always known. */
const LEAST_KEPT_MS = 120_000;

/** Components shared by the REST and realtime APIs for Ably clients. */
export class CompatCore {
  readonly authentication: Authentication;
  readonly tokenRequests: TokenRequests;
  readonly revocations: Revocations;
  readonly keys: Pick<KeyRing, 'app' | 'find' | 'replace'>;
  readonly connectionKeys: ConnectionKeys;
  readonly publisher: CompatPublisher;
  readonly edits: Edits;
  readonly annotations: Annotations;
  readonly statistics: Statistics;
  /** Null: nothing is pushed by this process. */
  readonly push: MessagePush | null;
  readonly counters = new RuntimeCounters();
  readonly derivedFilters = new DerivedFilters(this.counters);
  readonly #channels: Channels;
  readonly #names: WireNames;

  constructor(parts: CompatCoreParts) {
    const { config, apps, cache, publisher, operations, messages, triggers, log } = parts;
    const { compat, idempotency } = config;
    const keys = new KeyRing(compat.keys, apps);
    const tokens = new Tokens(cache);
    this.keys = keys;
    this.connectionKeys = new ConnectionKeys(cache);
    this.revocations = new Revocations(cache, compat.max_token_ttl_ms);
    this.authentication = new Authentication(keys, tokens, this.revocations, compat.max_token_ttl_ms);
    this.tokenRequests = new TokenRequests(keys, tokens, {
      maxTtlMs: compat.max_token_ttl_ms,
      skewMs: compat.token_request_timestamp_skew_ms,
      nonceTtlMs: compat.nonce_ttl_seconds * 1000,
    });
    this.statistics = new Statistics(cache, compat, config.ssl.enabled);
    this.push = triggers === null ? null : new MessagePush(triggers, this.statistics);
    const ttlMs = Math.max(LEAST_KEPT_MS, idempotency.ttl_seconds * 1000);
    const aiChannels = new AiChannels(config.ai_transport);
    const ai = new AiMessages(aiChannels, headerLimits(config));
    const news = new PublishNews(parts.webhooks, aiChannels, parts.metrics);
    const receipts = new MessageReceipts(cache, log);
    const once = new OncePublisher(publisher, receipts);
    this.publisher = new CompatPublisher(publisher, once, ttlMs, { ai, counters: this.counters, news });
    this.edits = new Edits(operations);
    this.annotations = new Annotations({
      operations,
      receipts,
      finder: messages,
      keptMs: ttlMs,
      isEnabled: config.annotations.enabled,
    });
    this.#channels = new Channels(config);
    this.#names = new WireNames(config.protocol.vendor_prefix);
  }

  /** @throws CompatError, in a promise, when there is no such app, or it is disabled. */
  app(id: string): Promise<App> {
    return this.keys.app(id);
  }

  /** The native channel of a base name. */
  channel(app: App, base: string): OrdinaryChannel {
    return this.#channels.foreign(app, base);
  }

  /**
   * Limits of messages that are published or changed. The prefixes of both the configured and the default vendor are
   * reserved.
   */
  messageRules(app: App): NamedRules {
    const names = this.#names;
    return {
      ...messageRules(app),
      isReserved: (name) => isReserved(name) || names.readReserved(name) !== null,
    };
  }
}

/** The message limits of an app. */
export const messageRules = ({ limits }: App): MessageRules => ({
  maxBytes: Math.min(LARGEST_MESSAGE_BYTES, limits.maxEventPayloadBytes),
  maxNameBytes: limits.maxEventNameBytes,
});
