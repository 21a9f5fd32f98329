import type { Missed } from './continuity.js';
import { ACTION, FLAG } from './flags.js';
import { positionText } from './position.js';

/** The attachment described by an ATTACHED frame. */
interface Told {
  readonly text: string;
  readonly modes: number;
  readonly params: Readonly<Record<string, string>>;
}

/** Builds the ATTACHED frame. */
export function attachedFrame(
  { text, modes, params }: Told,
  { position, isProven, error }: Omit<Missed, 'past'>,
  has: { readonly members: boolean; readonly backlog: boolean },
): object {
  const flags =
    modes |
    (has.members ? FLAG.hasPresence : 0) |
    (has.backlog ? FLAG.hasBacklog : 0) |
    (isProven ? FLAG.resumed : 0);
  return {
    action: ACTION.attached,
    channel: text,
    ...(position === null ? {} : { channelSerial: positionText(position) }),
    flags,
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(error === null ? {} : { error: error.body }),
  };
}
