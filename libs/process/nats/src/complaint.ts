/** What a server holds against something that it was sent. */
export type Complaint =
  /** Nothing comes to this subscription. */
  | { readonly about: 'subscription'; readonly subject: string }
  /** That one message went nowhere. Null: it does not say to which subject it was sent. */
  | { readonly about: 'message'; readonly subject: string | null }
  /** The server ends the connection. */
  | { readonly about: 'connection'; readonly event: 'server_error' | 'slow_consumer' };

const SUBSCRIPTION = /^permissions violation for subscription to "([^"]+)"/i;
const MESSAGE = /^(?:permissions violation(?: for publish to "([^"]+)")?|invalid (?:publish )?subject)/i;
const SLOW = /^slow consumer/i;

/** Reads the text of an error, which is all that a server says of it. */
export function complaintOf(text: string): Complaint {
  const subject = SUBSCRIPTION.exec(text)?.[1];
  if (subject !== undefined) return { about: 'subscription', subject };
  const message = MESSAGE.exec(text);
  if (message !== null) return { about: 'message', subject: message[1] ?? null };
  return { about: 'connection', event: SLOW.test(text) ? 'slow_consumer' : 'server_error' };
}
