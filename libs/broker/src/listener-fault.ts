/**
 * Called with an error thrown by a `BrokerListener`, which is a bug in the listener: publishers and requesters must
 * not be affected. May be called for every event; must not throw.
 */
export type OnListenerFault = (doing: 'deliver' | 'answer' | 'notify', error: unknown) => void;
