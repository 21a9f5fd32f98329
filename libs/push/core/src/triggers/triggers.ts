import { ServiceError } from '@carillon/errors';
import type { JsonObject } from '@carillon/push-providers';
import type { Admit } from '../admission/admit.js';
import { readPublish, type RequestRules } from '../admission/request.js';
import { sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import { payloadOfEvent, type PushRule, ruleMatches } from './rules.js';

/** An event that was published to a channel. */
export interface PublishedEvent {
  readonly appId: string;
  readonly channel: string;
  readonly event: string;
  readonly data: unknown;
  /** The message's id, else the key of its request, else one of its own: the same for the same publish. */
  readonly id: string;
}

/** `extras.push` of a publish, parsed and rendered. */
export interface PreparedExtras {
  /** Whether it may be published now; to be asked before the channel publish. */
  checkOpen(): Promise<void>;
  /** Publishes it to a channel, after the channel publish; the same id again changes nothing. */
  publish(channel: string, id: string): Promise<void>;
}

/** Publishes of channels that become push publishes. */
export class Triggers {
  constructor(
    private readonly parts: PushParts,
    private readonly admit: Admit,
    private readonly rules: RequestRules,
  ) {}

  /** Whether any event could become a push. */
  get hasRules(): boolean {
    return this.parts.config.push_rules.length > 0;
  }

  /** Whether one of them is for this event of this channel. */
  concerns(channel: string, event: string): boolean {
    return this.parts.config.push_rules.some((rule) => ruleMatches(rule, channel, event));
  }

  /** Never rejects: the channel publish has already happened. */
  async onPublished(event: PublishedEvent): Promise<void> {
    for (const [index, rule] of this.parts.config.push_rules.entries()) {
      if (ruleMatches(rule, event.channel, event.event)) await this.#apply(index, rule, event);
    }
  }

  /** @throws ServiceError `invalid_input` for a payload that is invalid for every target. */
  async extras(appId: string, payload: unknown): Promise<PreparedExtras> {
    const body = (channel: string): JsonObject => ({ recipients: [{ type: 'channel', channel }], payload });
    const first = await this.admit.prepare(appId, readPublish(body('any'), this.rules, this.parts.now()));
    return {
      checkOpen: () => this.admit.checkOpen(first),
      publish: async (channel, id) => {
        const publishId = `extras:${sha256(appId, channel, id)}`;
        const request = readPublish({ ...body(channel), publishId }, this.rules, this.parts.now());
        await this.admit.admit(await this.admit.prepare(appId, request), { quotaOverride: false });
        this.parts.metrics.counter('push_channel_publish_total').for().add();
      },
    };
  }

  async #apply(index: number, rule: PushRule, { appId, channel, data, id }: PublishedEvent): Promise<void> {
    try {
      const rate = { identifier: 'push:rule', limit: rule.rate_limit_per_second, windowMs: 1000 };
      if (!(await this.parts.rateLimit.check(rate, `${appId}:${index}`)).allowed) {
        return this.#skip('rate_limited', index, channel);
      }
      const payload = payloadOfEvent(rule, data);
      if (payload === null) return this.#skip('malformed', index, channel);
      const publishId = `rule:${index}:${sha256(appId, channel, id).slice(0, 32)}`;
      const body = { publishId, recipients: [{ type: 'channel', channel }], payload };
      const request = readPublish(body, this.rules, this.parts.now());
      await this.admit.admit(await this.admit.prepare(appId, request), { quotaOverride: false });
      this.parts.metrics.counter('push_channel_publish_total').for().add();
    } catch (error) {
      this.#skip(error instanceof ServiceError ? error.code : 'failed', index, channel);
    }
  }

  #skip(reason: string, rule: number, channel: string): void {
    this.parts.metrics.counter('push_rule_skipped_total').for({ reason }).add();
    this.parts.log.warn('a push rule was not applied', { rule, channel, reason });
  }
}
