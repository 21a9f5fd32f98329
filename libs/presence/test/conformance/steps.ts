import * as fc from 'fast-check';
import type { Presence } from '../../src/index.js';
import type { CrowdModel, Expected } from './crowd-model.js';
import { as, LOBBY } from '../samples.js';
import type { WatchedWorld } from '../world.js';

export const USERS = ['ada', 'bo', 'cy', 'di'];
export const SOCKETS = [0, 1, 2, 3];

const connection = { user: fc.constantFrom(...USERS), socket: fc.constantFrom(...SOCKETS) };
const info = fc.constantFrom('x', 'y');
const join = fc.record({
  kind: fc.constant('join' as const),
  ...connection,
  info,
  maxMembers: fc.constantFrom(2, 3, Infinity),
});
const leave = fc.record({
  kind: fc.constant('leave' as const),
  ...connection,
  leased: fc.boolean(),
  lastWords: fc.constantFrom(null, null, '"bye"', '{"é": "1:2 3\\n"}'),
});
const update = fc.record({ kind: fc.constant('update' as const), ...connection, info });
const pass = fc.record({ kind: fc.constant('pass' as const) });

export const comingOrGoing = fc.oneof(join, leave);
export const anyStep = fc.oneof(
  { arbitrary: join, weight: 6 },
  { arbitrary: leave, weight: 6 },
  { arbitrary: update, weight: 1 },
  { arbitrary: pass, weight: 1 },
);
export type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Each connection belongs to one process, as in life. */
export const holderOf = ({ one, other }: WatchedWorld, socket: number): Presence =>
  socket % 2 === 0 ? one : other;

const presentationOf = (step: Exclude<Step, { kind: 'pass' }>) =>
  as(step.user, `1.${step.socket}`, { info: 'info' in step ? step.info : null });

/** Takes the step and gives the answer. */
export async function take(step: Step, world: WatchedWorld): Promise<unknown> {
  if (step.kind === 'pass') return world.pass(world.leaseMs);
  const presence = holderOf(world, step.socket);
  const presentation = presentationOf(step);
  if (step.kind === 'join') return presence.join(presentation, step.maxMembers);
  if (step.kind === 'update') return presence.update(presentation);
  return presence.leave(presentation, step.leased ? world.leaseMs : 0, 'left', step.lastWords ?? undefined);
}

/** Takes the step in the model. */
export function imagine(step: Step, model: CrowdModel): Expected {
  if (step.kind === 'pass') return model.endLeases(LOBBY.appId, LOBBY.channel);
  if (step.kind === 'join') return model.join(presentationOf(step), step.maxMembers);
  if (step.kind === 'update') return model.update(presentationOf(step));
  return model.leave(presentationOf(step), step.leased, step.lastWords);
}
