import { type NewMessage, sizeOf } from '../message/read-message.js';

/** A number of messages or members, and the bytes of their content. */
export interface Counted {
  readonly count: number;
  readonly bytes: number;
}

/** The fields of a message, a member or an annotation that count; an absent one counts as 0 bytes. */
export type Measurable = Partial<Pick<NewMessage, 'clientId' | 'data' | 'extras' | 'name'>>;

export const bytesOf = ({ name = null, clientId = null, extras = null, data }: Measurable): number =>
  sizeOf({ name, clientId, extras }, Buffer.byteLength(data ?? ''));

export const measured = (all: readonly Measurable[]): Counted => ({
  count: all.length,
  bytes: all.reduce((sum, one) => sum + bytesOf(one), 0),
});
