import type { App } from '@carillon/app-registry';
import { matchesOrigin, parseOriginPattern, type OriginPattern } from '@carillon/config';
import { prepareSigningKey, type SigningKey } from '@carillon/auth';
import type { WindowRule } from '../subscriber/windows.js';

/** The permissions and limits of an app's connections, derived from its record once. */
export class AppRules {
  /** Key that signatures are verified with. */
  readonly key: SigningKey;
  /** Rate limit of inbound frames; null: unlimited. */
  readonly frames: WindowRule | null;
  /** Rate limit of client events; null: unlimited. */
  readonly clientEvents: WindowRule | null;
  readonly clientMessages: boolean;
  readonly signin: boolean;
  readonly watchlists: boolean;
  readonly subscriptionCounts: boolean;
  readonly #origins: readonly OriginPattern[];

  constructor(app: App) {
    const { features, channels } = app.record.policy;
    this.key = prepareSigningKey(app.credentials);
    this.frames = frameRule(app);
    this.clientEvents = clientEventRule(app);
    this.clientMessages = features.enable_client_messages;
    this.signin = features.enable_user_authentication === true;
    this.watchlists = features.enable_watchlist_events === true;
    this.subscriptionCounts = features.enable_subscription_count_events === true;
    this.#origins = (channels.allowed_origins ?? []).flatMap(validPattern);
  }

  /**
   * Whether the Origin header is allowed. An app without a list allows every origin; a missing header is the empty
   * string.
   */
  allowsOrigin(header: string): boolean {
    return this.#origins.length === 0 || matchesOrigin(this.#origins, header);
  }
}

const known = new WeakMap<App, AppRules>();

/** Returns the rules of an app, derived on first use. */
export function rulesOf(app: App): AppRules {
  let rules = known.get(app);
  if (rules === undefined) {
    rules = new AppRules(app);
    known.set(app, rules);
  }
  return rules;
}

/** Parses an origin pattern. Every entry is valid, since the record was validated when it was read. */
function validPattern(source: string): OriginPattern[] {
  const parsed = parseOriginPattern(source);
  if ('message' in parsed) throw new Error(`origin pattern: ${parsed.message}`);
  return [parsed.pattern];
}

function frameRule({ record }: App): WindowRule | null {
  const rule = record.policy.limits.message_rate_limit;
  if (rule === null || !rule.enabled || rule.max_attempts === 0) return null;
  return {
    attempts: rule.max_attempts,
    lengthMs: rule.decay_seconds * 1000,
    terminates: rule.terminate_on_limit,
  };
}

function clientEventRule({ record, limits }: App): WindowRule | null {
  if (!Number.isFinite(limits.maxClientEvents)) return null;
  const { decay_seconds, terminate_on_limit } = record.policy.limits;
  return { attempts: limits.maxClientEvents, lengthMs: decay_seconds * 1000, terminates: terminate_on_limit };
}
