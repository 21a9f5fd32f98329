import type { OrdinaryChannel } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';
import { liveGap } from '../channels/live-gap.js';
import { type AppendWays, type PacedChannel, Pacing } from './pacing.js';

/** A channel that is had here by patterns alone keeps so much less of the texts of its messages. */
const PASSING_SHARE = 1 / 16;

/** What paces the appends of a channel that somebody here has. */
export const pacingOf = (hub: AppHub, about: OrdinaryChannel, ways: AppendWays): Pacing =>
  hub.pacings.open(about.name, () => new Pacing(reachOf(hub, about), ways));

/** What paces those of a channel that is had here by a pattern. */
export function passingPacingOf(hub: AppHub, about: OrdinaryChannel, ways: AppendWays): Pacing {
  const maxWholeBytes = ways.maxWholeBytes * PASSING_SHARE;
  return (
    hub.channels.get(about.name)?.paced(ways) ??
    hub.pacings.openPassing(about.name, () => new Pacing(reachOf(hub, about), { ...ways, maxWholeBytes }))
  );
}

/** Everybody who has a channel, by itself or by a pattern, at the time that they are told. */
function reachOf(hub: AppHub, about: OrdinaryChannel): PacedChannel {
  const { name } = about;
  return {
    appId: hub.appId,
    name,
    meters: () => hub.meters.appends,
    gapAt: (message) => liveGap(about, message),
    hand: (told, pace, isMeant) => {
      const exactly = hub.channels.get(name)?.hand(told, pace) ?? 0;
      // Whatever else is told of a channel does not come by its pace to those who have it by a pattern.
      const isForAll = told.frames.fact.kind === 'message' && !hub.patterns.areNone;
      return exactly + (isForAll ? hub.patterns.tell(hub, about, told, isMeant) : 0);
    },
    hold: (told, wholes) => hub.channels.get(name)?.holdBack(told, wholes),
  };
}
