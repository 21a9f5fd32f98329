import type { WebhookEventName } from '@carillon/config';

/** JSON that is sent as it was received, digit for digit. */
export class JsonText {
  constructor(readonly text: string) {}
}

/**
 * The payload of a client event as receivers read it, from its JSON text: always a string, as Pusher sends it, because
 * libraries refuse a whole request otherwise.
 */
export function dataOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
}

interface InChannel {
  readonly channel: string;
}

interface OfMember extends InChannel {
  readonly user_id: string;
}

interface OfMessage extends InChannel {
  readonly message_serial: string;
}

interface OfAnnotation extends OfMessage {
  readonly annotation_serial: string;
  readonly annotation_type: string;
}

interface OfRun extends InChannel {
  readonly run_id: string | null;
}

interface RunStarted extends OfRun {
  readonly client_id: string | null;
}

interface RunEnded extends OfRun {
  readonly reason: string | null;
  readonly error_code: string | null;
}

interface OfTurn {
  readonly turn_id: string | null;
}

/** Members of each event besides its name, as sent in the request. */
export interface WebhookEventMembers {
  readonly channel_occupied: InChannel;
  readonly channel_vacated: InChannel;
  readonly member_added: OfMember;
  readonly member_updated: OfMember & { readonly user_info: JsonText };
  readonly member_removed: OfMember;
  /** `user_id` on presence channels only. */
  readonly client_event: InChannel & {
    readonly event: string;
    /** Encoded by {@link dataOf}. */
    readonly data: string;
    readonly socket_id: string;
    readonly user_id?: string;
  };
  readonly cache_miss: InChannel & { readonly data: '{}' };
  readonly subscription_count: InChannel & { readonly subscription_count: number };
  readonly message_version_created: OfMessage & {
    readonly version_serial: string;
    readonly action: 'message.create' | 'message.update' | 'message.delete' | 'message.append';
  };
  readonly annotation_created: OfAnnotation;
  readonly annotation_deleted: OfAnnotation & { readonly deleted_annotation_serial: string };
  readonly ai_run_started: RunStarted;
  readonly ai_run_ended: RunEnded;
  readonly ai_cancel_requested: RunStarted & OfTurn;
  readonly ai_stream_orphaned: OfMessage & { readonly reason: 'orphan_timeout' };
  readonly ai_turn_started: RunStarted & OfTurn;
  readonly ai_turn_ended: RunEnded & OfTurn;
}

/** Something an app's servers may want to hear of. */
export type WebhookEvent = {
  [Name in WebhookEventName]: { readonly name: Name } & WebhookEventMembers[Name];
}[WebhookEventName];

/** The event as it goes into the request, `name` and `channel` first. Absent members are left out. */
export function eventText({ name, channel, ...more }: WebhookEvent): string {
  const members = Object.entries<unknown>({ name, channel, ...more })
    .filter(([, value]) => value !== undefined)
    .map(([member, value]) => `${JSON.stringify(member)}:${jsonOf(value)}`);
  return `{${members.join(',')}}`;
}

const jsonOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));

/** Whether the event is worth nothing later: it is sent at once, in a request of its own. */
export function isUrgent(name: WebhookEventName): boolean {
  return name.startsWith('ai_');
}

/** The event under its older name, for receivers that list that one; null: it has none. */
export function legacyTwin(event: WebhookEvent): WebhookEvent | null {
  if (event.name === 'ai_run_started') return { ...event, name: 'ai_turn_started', turn_id: event.run_id };
  if (event.name === 'ai_run_ended') return { ...event, name: 'ai_turn_ended', turn_id: event.run_id };
  return null;
}
