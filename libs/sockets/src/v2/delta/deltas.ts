import type { App } from '@carillon/app-registry';
import type { OrdinaryChannel } from '@carillon/channels';
import type { Config } from '@carillon/config';
import {
  BaseBudget,
  channelDelta,
  type ChannelDelta,
  type DeltaAlgorithm,
  type DeltaDefaults,
  type DeltaRules,
} from '@carillon/delta';
import { type AppHub, type Codec, DeltaMeters, type LocalChannel } from '@carillon/realtime';
import type { Metrics } from '@carillon/runtime';
import { DeltaChannel } from './delta-channel.js';
import { DeltaEntry } from './delta-entry.js';
import { DeltaStates } from './delta-states.js';
import type { DeltaVariant } from './delta-variant.js';

/** The limit of base characters per app in this process. Beyond it, the least recently used bases are dropped. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** Dependencies of {@link Deltas}. */
export interface DeltasParts {
  readonly config: Config;
  readonly metrics: Metrics;
}

/** The deltas of all channels of this process. */
export class Deltas {
  /** Limits the channels with bases per connection. */
  readonly states: DeltaStates;
  readonly #defaults: DeltaDefaults;
  readonly #rules: DeltaRules;
  readonly #budgets = new WeakMap<AppHub, BaseBudget>();
  readonly #channels = new WeakMap<LocalChannel, DeltaChannel>();

  constructor(private readonly parts: DeltasParts) {
    const { delta_compression: settings } = parts.config;
    this.#defaults = {
      enabled: settings.enabled,
      algorithm: settings.algorithm === 'xdelta3' ? 'xdelta3' : 'fossil',
      conflationPath: settings.conflation_key_path,
      maxGroups: settings.max_conflation_states_per_channel,
    };
    this.states = new DeltaStates(settings.max_channel_states_per_socket);
    this.#rules = {
      fullMessageInterval: settings.full_message_interval,
      minMessageSize: settings.min_message_size,
      maxStateAgeMs: settings.max_state_age_secs * 1000,
      maxGroups: settings.max_conflation_states_per_channel,
    };
  }

  /** The default algorithm if neither client nor app specifies one; null if deltas are disabled. */
  get algorithm(): DeltaAlgorithm | null {
    return this.#defaults.enabled ? this.#defaults.algorithm : null;
  }

  /** Returns the delta options of a channel, or null if its messages are always sent in full. */
  plan(app: App, { name, traits }: OrdinaryChannel): ChannelDelta | null {
    if (!traits.deltas) return null;
    return channelDelta(name, app.record.policy.channels.channel_delta_compression, this.#defaults);
  }

  /** Returns the codec of a delta subscription. `plain` encodes full messages, before any filter. */
  entry(variant: DeltaVariant, plan: ChannelDelta, at: Place & { readonly plain: Codec }): DeltaEntry {
    return new DeltaEntry(variant, (entry) => {
      const channel = this.channel(at, plan, at.plain);
      if (channel === null) throw new Error('nobody has the channel');
      return channel.begin(entry);
    });
  }

  /**
   * Returns the delta state of a channel, or null if no subscriber of this process has the channel. If its options
   * have changed, a new state is created beside the old one.
   */
  channel(
    { hub, channel: { name, namespace } }: Place,
    plan: ChannelDelta,
    plain: Codec,
  ): DeltaChannel | null {
    const local = hub.channels.get(name);
    if (local === undefined) return null;
    const known = this.#channels.get(local);
    if (known !== undefined && isSame(known.plan, plan)) return known;
    const { metrics, config } = this.parts;
    const labels = { app_id: hub.appId, channel_name: namespace?.name ?? '_' };
    const made = new DeltaChannel({
      local,
      plan,
      plain,
      rules: { ...this.#rules, maxGroups: plan.maxGroups },
      omitsAlgorithm: config.delta_compression.omit_delta_algorithm,
      budget: this.#budget(hub),
      states: this.states,
      meters: new DeltaMeters(metrics, labels),
    });
    this.#channels.set(local, made);
    return made;
  }

  /** Counts a subscription for which deltas were enabled. */
  enabled({ hub, channel: { namespace } }: Place): void {
    const labels = { app_id: hub.appId, channel_name: namespace?.name ?? '_' };
    new DeltaMeters(this.parts.metrics, labels).enabled();
  }

  #budget(hub: AppHub): BaseBudget {
    let budget = this.#budgets.get(hub);
    if (budget === undefined) this.#budgets.set(hub, (budget = new BaseBudget(MAX_LENGTH)));
    return budget;
  }
}

/** A channel of an app. */
export interface Place {
  readonly hub: AppHub;
  readonly channel: OrdinaryChannel;
}

const isSame = (one: ChannelDelta, other: ChannelDelta): boolean =>
  one.conflationPath === other.conflationPath &&
  one.maxGroups === other.maxGroups &&
  one.maxMessagesPerKey === other.maxMessagesPerKey;
