import type { OrdinaryChannel } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';
import { liveGap } from '../channels/live-gap.js';
import { type AppendWays, type PacedChannel, Pacing } from './pacing.js';
import type { Told } from './told.js';

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

/** What comes by the pace of its channel to those who have it by a pattern too: what is said in it, and that some is lost. */
const isPaced = ({ frames: { fact } }: Told): boolean =>
  fact.kind === 'message' || fact.kind === 'resume_failed';

/** Everybody who has a channel, by itself or by a pattern, at the time that they are told. */
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
