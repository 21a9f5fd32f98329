import type { Frame } from './frame.js';

/** A frame with the member names of the wire, as JSON carries it. */
export type WireFrame = Omit<Frame, 'messageId' | 'streamId' | 'userId'> & {
  readonly user_id?: string;
  readonly message_id?: string;
  readonly stream_id?: string;
};

/** Renames the members of a received frame. */
export const fromWire = ({
  user_id: userId,
  message_id: messageId,
  stream_id: streamId,
  ...rest
}: WireFrame): Frame => ({
  ...rest,
  ...(userId === undefined ? {} : { userId }),
  ...(messageId === undefined ? {} : { messageId }),
  ...(streamId === undefined ? {} : { streamId }),
});

/** Renames the members of a frame to be sent; undefined members are omitted by JSON. */
export const toWire = ({ userId, messageId, streamId, ...rest }: Frame): object => ({
  ...rest,
  user_id: userId,
  message_id: messageId,
  stream_id: streamId,
});
