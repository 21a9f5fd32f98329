import { nativeFaults } from './native-faults.js';

/** Sendable data. */
export type Message = string | ArrayBuffer | Uint8Array;

const asIs = (message: Message): Message => message;
const asBytes = (message: Message): Message => (typeof message === 'string' ? Buffer.from(message) : message);

/** The form in which a message may be given to the native library of this process to leave as UTF-8. */
export const sendable = nativeFaults.writesLatin1 ? asBytes : asIs;
