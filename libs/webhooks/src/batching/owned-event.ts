import { createHash } from 'node:crypto';
import type { App } from '@carillon/app-registry';
import type { WebhookEvent } from '../events/event.js';
import type { PlaceChange } from '../port.js';

/** An event of a change that several processes may send: they send it as one job. */
export interface OwnedEvent {
  /** Names its batch while it is alone in it. */
  readonly id: string;
  readonly atMs: number;
  /** Called when the event is in the queue, or dropped for good. */
  readonly settle: () => void;
}

const ID_LENGTH = 32;
const MICROSECONDS = 1000;

/** Returns the fields that are equal in every process that may send the event; undefined if no other process will. */
export function ownedEvent(app: App, event: WebhookEvent, change: PlaceChange): OwnedEvent | undefined {
  const { serial, settle } = change;
  if (serial === undefined || settle === undefined) return undefined;
  const digest = createHash('sha256')
    .update(JSON.stringify([app.id, serial, event]))
    .digest('hex');
  return { id: digest.slice(0, ID_LENGTH), atMs: Math.floor(serial / MICROSECONDS), settle };
}
