/** Outcome of a request. */
export type NatsAnswer =
  | { readonly kind: 'reply'; readonly text: string }
  /** The subject has no subscribers. */
  | { readonly kind: 'no_responder' }
  /** Nothing came in time; it may still be under way. */
  | { readonly kind: 'silent' };
