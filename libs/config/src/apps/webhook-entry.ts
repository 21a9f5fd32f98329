import type { LinearPattern } from './linear-pattern.js';
import type { Table } from './extra.js';

/** One receiver of the app's webhooks. Exactly one of `url` and `lambda` is set. */
export interface WebhookEntry extends Table {
  /** http or https. May hold credentials: print it through `redactedAppRecord` only. */
  readonly url: string | null;
  readonly lambda: LambdaTarget | null;
  /** Not empty. Names unknown to this version never match. */
  readonly event_types: readonly string[];
  /** Null lets every channel through. */
  readonly filter: WebhookFilter | null;
  /** Added to each request; values are secret. Never one of the headers the service sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null, or a null member, takes the global `[webhooks.retry]`. */
  readonly retry: WebhookRetry | null;
  /** Per attempt; null takes the global value. */
  readonly request_timeout_ms: number | null;
}

/** A cloud function, invoked asynchronously. */
export interface LambdaTarget extends Table {
  readonly function_name: string;
  readonly region: string;
}

/** Every member that is not null must hold for the event's channel. */
export interface WebhookFilter extends Table {
  readonly channel_prefix: string | null;
  readonly channel_suffix: string | null;
  /** Unanchored. One that does not compile matches nothing. */
  readonly channel_pattern: LinearPattern | null;
  readonly channel_namespace: string | null;
  readonly channel_namespaces: readonly string[] | null;
}

/** Overrides of the global `[webhooks.retry]`. */
export interface WebhookRetry extends Table {
  readonly enabled: boolean | null;
  readonly max_attempts: number | null;
  readonly max_elapsed_time_ms: number | null;
  readonly initial_backoff_ms: number | null;
  readonly max_backoff_ms: number | null;
}

/** Every event the service can send, by its name in `event_types`. */
export const WEBHOOK_EVENT_NAMES = [
  'channel_occupied',
  'channel_vacated',
  'member_added',
  'member_updated',
  'member_removed',
  'client_event',
  'cache_miss',
  'subscription_count',
  'message_version_created',
  'annotation_created',
  'annotation_deleted',
  'ai_run_started',
  'ai_run_ended',
  'ai_cancel_requested',
  'ai_stream_orphaned',
  'ai_turn_started',
  'ai_turn_ended',
] as const;
export type WebhookEventName = (typeof WEBHOOK_EVENT_NAMES)[number];
