/**
 * Told what a `FabricListener` threw, which is a bug in it: whoever published or asked must not suffer. May be called
 * for every event, and must not throw.
 */
export type OnListenerFault = (doing: 'deliver' | 'answer' | 'notify', error: unknown) => void;
