/** Kinds of streams, as metrics call them. */
export type StreamForm = 'events' | 'session';
