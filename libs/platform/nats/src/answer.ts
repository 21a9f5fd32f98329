/** What became of a request. */
export type NatsAnswer =
  | { readonly kind: 'reply'; readonly text: string }
  /** Nobody hears the subject. */
  | { readonly kind: 'no_responder' }
  /** Nothing came in time; it may still be under way. */
  | { readonly kind: 'silent' };
