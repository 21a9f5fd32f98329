import { type NewMessage, sizeOf } from '../message/read-message.js';

/** So many messages or members, and the bytes of what they say. */
export interface Counted {
  readonly count: number;
  readonly bytes: number;
}

/** What of a message, a member or an annotation counts; whatever is absent counts nothing. */
export type Measurable = Partial<Pick<NewMessage, 'clientId' | 'data' | 'extras' | 'name'>>;

export const bytesOf = ({ name = null, clientId = null, extras = null, data }: Measurable): number =>
  sizeOf({ name, clientId, extras }, Buffer.byteLength(data ?? ''));

export const measured = (all: readonly Measurable[]): Counted => ({
  count: all.length,
  bytes: all.reduce((sum, one) => sum + bytesOf(one), 0),
});
