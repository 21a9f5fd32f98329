import type { Capability } from '@carillon/ably-core';

/** Kinds of frames. */
export const ACTION = {
  heartbeat: 0,
  ack: 1,
  nack: 2,
  connected: 4,
  disconnect: 5,
  disconnected: 6,
  close: 7,
  closed: 8,
  error: 9,
  attach: 10,
  attached: 11,
  detach: 12,
  detached: 13,
  presence: 14,
  message: 15,
  sync: 16,
  auth: 17,
  object: 19,
  objectSync: 20,
  annotation: 21,
} as const;

/** Names of the frames that a tail shows; heartbeats, messages and attaches are shown otherwise or not at all. */
export const FRAME_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(ACTION)
    .filter(([name]) => !['attach', 'detach', 'heartbeat', 'message'].includes(name))
    .map(([name, action]) => [action, name]),
);

/** The flags of ATTACHED besides modes. */
export const FLAG = { hasPresence: 1, hasBacklog: 2, resumed: 4 } as const;

/** The modes of an attachment, as bits of `flags`. */
export const MODE = {
  PRESENCE: 65_536,
  PUBLISH: 131_072,
  SUBSCRIBE: 262_144,
  PRESENCE_SUBSCRIBE: 524_288,
  ANNOTATION_PUBLISH: 2_097_152,
  ANNOTATION_SUBSCRIBE: 4_194_304,
} as const;

/** Modes that are known and never granted. */
const UNGRANTED = { OBJECT_SUBSCRIBE: 16_777_216, OBJECT_PUBLISH: 33_554_432 } as const;
const OF_OBJECTS = UNGRANTED.OBJECT_SUBSCRIBE | UNGRANTED.OBJECT_PUBLISH;
const NAMED: ReadonlyMap<string, number> = new Map(Object.entries({ ...MODE, ...UNGRANTED }));
const ALL = Object.values(MODE).reduce((bits, bit) => bits | bit, 0);
const DEFAULT = ALL & ~MODE.ANNOTATION_SUBSCRIBE;

/** The modes that a list names; null: it names one that is not known. */
export function modesOf(list: string): number | null {
  let bits = 0;
  for (const word of list.split(',')) {
    const bit = NAMED.get(word.trim().toUpperCase());
    if (bit === undefined) return null;
    bits |= bit;
  }
  return bits & ALL;
}

/** Returns the modes requested by flags, or the default if none is set. */
export const askedModes = (flags: number): number =>
  (flags & (ALL | OF_OBJECTS)) === 0 ? DEFAULT : flags & ALL;

/** Returns the modes that a capability grants on a channel. */
export function grantedModes(capability: Capability, base: string): number {
  const operations = capability.onChannel(base);
  const has = (...names: readonly string[]): boolean =>
    operations.some((one) => one === '*' || names.includes(one));
  let bits = 0;
  if (has('publish')) bits |= MODE.PUBLISH;
  if (has('subscribe')) bits |= MODE.SUBSCRIBE | MODE.PRESENCE_SUBSCRIBE;
  if (has('presence')) bits |= MODE.PRESENCE;
  if (has('annotation-publish', 'annotation-delete-own', 'annotation-delete-any'))
    bits |= MODE.ANNOTATION_PUBLISH;
  if (has('annotation-subscribe')) bits |= MODE.ANNOTATION_SUBSCRIBE;
  return bits;
}
