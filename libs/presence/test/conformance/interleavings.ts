import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PresenceChange } from '../../src/index.js';
import { CrowdModel } from './crowd-model.js';
import { as, brief, line, LOBBY } from '../samples.js';
import { anyStep, comingOrGoing, holderOf, imagine, SOCKETS, take, USERS } from './steps.js';
import { watched, type OpenWorld, type WatchedWorld } from '../world.js';

/** Sequential steps in both processes must match the model. */
export function followsTheModel(open: OpenWorld, numRuns: number): void {
  it('does as the model, whatever happens in whatever order', async () => {
    const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
      const world = await watched(open);
      const model = new CrowdModel();
      const everything: PresenceChange[] = [];
      try {
        for (const step of steps) {
          const { answer, told } = imagine(step, model);
          expect(await take(step, world)).toEqual(answer);
          everything.push(...world.changes);
          expect(world.told().sort()).toEqual([...told].sort());
          await looksLike(model, world);
        }
        expectAlternation(everything);
      } finally {
        await world.close();
      }
    });
    await fc.assert(property, { numRuns });
  });
}

async function looksLike({ members }: CrowdModel, { one, other }: WatchedWorld): Promise<void> {
  for (const presence of [one, other]) {
    expect(await presence.members(LOBBY)).toEqual(members);
    expect(await presence.memberCounts(LOBBY.appId, [LOBBY.channel])).toEqual([members.length]);
    expect(await presence.present(LOBBY, USERS)).toEqual(new Set(members.map(({ userId }) => userId)));
  }
}

/** For each user: added, removed, added, … with updates only in between. */
function expectAlternation(changes: readonly PresenceChange[]): void {
  const present = new Set<string>();
  for (const change of changes) {
    const userId = change.kind === 'removed' ? change.userId : change.member.userId;
    expect([line(change), present.has(userId)]).toEqual([line(change), change.kind !== 'added']);
    if (change.kind === 'added') present.add(userId);
    if (change.kind === 'removed') present.delete(userId);
  }
}

/** Concurrent steps: the reports must add up to the members. */
export function settlesWhateverIsConcurrent(open: OpenWorld, numRuns: number): void {
  it('tells what adds up to who is there, however many come and go at once', async () => {
    const property = fc.asyncProperty(fc.array(comingOrGoing, { maxLength: 60 }), async (steps) => {
      const world = await watched(open);
      try {
        await Promise.all(steps.map((step) => take(step, world)));
        await world.pass(world.leaseMs);
        await addsUp(world);
        await everybodyLeaves(world);
        await addsUp(world);
        expect(await world.one.members(LOBBY)).toEqual([]);
      } finally {
        await world.close();
      }
    });
    await fc.assert(property, { numRuns });
  });
}

async function everybodyLeaves(world: WatchedWorld): Promise<void> {
  const connections = USERS.flatMap((user) => SOCKETS.map((socket) => ({ user, socket })));
  await Promise.all(
    connections.map(({ user, socket }) => holderOf(world, socket).leave(as(user, `1.${socket}`), 0, 'left')),
  );
}

async function addsUp({ changes, one }: WatchedWorld): Promise<void> {
  const told = changes.map(brief);
  const times = (text: string) => told.filter((one) => one === text).length;
  for (const userId of USERS) {
    const there = await one.present(LOBBY, [userId]);
    expect([userId, times(`+${userId}`) - times(`-${userId}`)]).toEqual([userId, there.size]);
  }
}
