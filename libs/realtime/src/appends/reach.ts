import type { OrdinaryChannel } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';
import { liveGap } from '../channels/live-gap.js';
import { type AppendWays, type PacedChannel, AppendThrottle } from './append-throttle.js';
import type { Told } from './told.js';

/** Share of the text cache for a channel subscribed by pattern only. */
const PASSING_SHARE = 1 / 16;

/** Returns the pacing of a channel with direct subscribers. */
export const pacingOf = (hub: AppHub, about: OrdinaryChannel, ways: AppendWays): AppendThrottle =>
  hub.pacings.open(about.name, () => new AppendThrottle(reachOf(hub, about), ways));

/** Returns the pacing of a channel subscribed by pattern only. */
export function passingPacingOf(hub: AppHub, about: OrdinaryChannel, ways: AppendWays): AppendThrottle {
  const maxWholeBytes = ways.maxWholeBytes * PASSING_SHARE;
  return (
    hub.channels.get(about.name)?.paced(ways) ??
    hub.pacings.openPassing(
      about.name,
      () => new AppendThrottle(reachOf(hub, about), { ...ways, maxWholeBytes }),
    )
  );
}

/** Whether a fact reaches pattern subscribers through the pacing of its channel: messages and gaps. */
const isPaced = ({ frames: { fact } }: Told): boolean =>
  fact.kind === 'message' || fact.kind === 'resume_failed';

/** Delivers to all direct and pattern subscribers of a channel at the time of delivery. */
function reachOf(hub: AppHub, about: OrdinaryChannel): PacedChannel {
  const { name } = about;
  return {
    appId: hub.appId,
    name,
    meters: () => hub.meters.appends,
    gapAt: ({ streamId, serial }) =>
      serial === null ? null : liveGap(about, { streamId, serial: serial - 1 }),
    hand: (told, pace, isMeant) => {
      const exactly = hub.channels.get(name)?.hand(told, pace) ?? 0;
      const isForAll = !hub.patterns.areNone && isPaced(told);
      return exactly + (isForAll ? hub.patterns.tell(hub, about, told, isMeant) : 0);
    },
    hold: (told, wholes) => hub.channels.get(name)?.holdBack(told, wholes),
  };
}
