import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Roster } from '../../src/state/roster.js';

const LONG_MS = 6000;
const member = (userId: string) => ({ userId, userInfoText: '{}', socketId: '1.2' });
const view = (serial: number, ...userIds: string[]) => ({ members: userIds.map(member), serial });

function scene() {
  let nowMs = 0;
  const roster = new Roster(() => nowMs);
  return {
    roster,
    pass: (ms: number) => (nowMs += ms),
    hear: (userId: string, isPresent: boolean, serial: number) =>
      roster.hear(
        isPresent
          ? { kind: 'member_added', channel: 'c', member: member(userId), serial }
          : { kind: 'member_removed', channel: 'c', userId, serial },
      ).length > 0,
    update: (userId: string, serial: number) =>
      roster.hear({ kind: 'member_updated', channel: 'c', member: member(userId), serial })[0]?.kind ?? null,
    look: (serial: number, ...userIds: string[]) => {
      const { added, removed, missed } = roster.compare(view(serial, ...userIds));
      return {
        added: added.map(({ userId }) => userId),
        removed: removed.map(({ userId }) => userId),
        missed: missed.map(({ userId }) => userId),
      };
    },
  };
}

const NOTHING = { added: [], removed: [], missed: [] };

describe('what is news to the subscribers of a place', () => {
  it('is a coming and a going, each once', () => {
    const { hear } = scene();
    expect([hear('ada', true, 1), hear('ada', true, 1), hear('ada', true, 2)]).toEqual([true, false, false]);
    expect([hear('ada', false, 3), hear('ada', false, 3), hear('ada', true, 4)]).toEqual([true, false, true]);
  });

  it('is not what comes after word of something later', () => {
    const { hear, roster } = scene();
    expect([hear('ada', false, 2), hear('ada', true, 1)]).toEqual([false, false]);
    expect([hear('bo', true, 1), hear('bo', true, 3), hear('bo', false, 2)]).toEqual([true, false, false]);
    expect([roster.has('ada'), roster.has('bo')]).toEqual([false, true]);
  });

  it('is what a member says of itself later, and who is updated without having come has come', () => {
    const { hear, update } = scene();
    hear('ada', true, 1);
    expect([update('ada', 3), update('ada', 2), hear('ada', true, 2)]).toEqual([
      'member_updated',
      null,
      false,
    ]);
    expect([update('bo', 5), hear('bo', true, 4), hear('bo', false, 6)]).toEqual([
      'member_added',
      false,
      true,
    ]);
  });

  it('is what the store shows and nobody told', () => {
    const { hear, look } = scene();
    hear('ada', true, 1);
    expect(look(5, 'ada', 'bo')).toEqual({ ...NOTHING, added: ['bo'] });
    expect([hear('bo', true, 4), hear('ada', false, 3)]).toEqual([false, false]);
    expect(hear('bo', false, 6)).toBe(true);
  });

  it('is not what an older look shows', () => {
    const { hear, look } = scene();
    hear('ada', true, 5);
    hear('bo', true, 6);
    hear('bo', false, 7);
    expect(look(4, 'bo')).toEqual(NOTHING);
  });

  it('is a going that nobody told, when there was time enough to tell it', () => {
    const { hear, look, pass, roster } = scene();
    hear('ada', true, 1);
    expect(look(2)).toEqual({ ...NOTHING, missed: ['ada'] });
    pass(LONG_MS - 1);
    expect(look(3)).toEqual({ ...NOTHING, missed: ['ada'] });
    expect(roster.isInDoubt).toBe(true);
    pass(1);
    expect(look(4)).toEqual({ ...NOTHING, removed: ['ada'] });
    expect(roster.isInDoubt).toBe(false);
    expect(look(5)).toEqual(NOTHING);
    expect(hear('ada', false, 3)).toBe(false);
  });

  it('is no going of somebody whom the store had lost for a while', () => {
    const { hear, look, pass, roster } = scene();
    look(1, 'ada', 'bo');
    expect(look(2)).toEqual({ ...NOTHING, missed: ['ada', 'bo'] });
    pass(LONG_MS / 2);
    expect(hear('ada', true, 3)).toBe(false);
    expect(look(4, 'ada', 'bo')).toEqual(NOTHING);
    expect(roster.isInDoubt).toBe(false);
    pass(LONG_MS);
    expect(look(5, 'ada')).toEqual({ ...NOTHING, missed: ['bo'] });
  });

  it('is looked for among those alone who are asked about', () => {
    const { roster, look } = scene();
    look(1, 'ada', 'bo');
    expect(roster.compare(view(2), ['ada']).missed).toEqual([member('ada')]);
    roster.forget('ada');
    expect([roster.isInDoubt, roster.has('ada')]).toEqual([false, false]);
  });
});

it('of those who went only so many are remembered, and only for a while', () => {
  const { hear, pass } = scene();
  for (let user = 0; user < 5000; user += 1) {
    hear(`u${user}`, true, user * 2 + 1);
    hear(`u${user}`, false, user * 2 + 2);
  }
  expect([hear('u4999', true, 9999), hear('u903', true, 1807)]).toEqual([false, true]);
  pass(30_000);
  hear('last', true, 20_000);
  hear('last', false, 20_001);
  expect(hear('u4998', true, 9997)).toBe(true);
});

/** Presence changes of the users of a channel; arrivals and departures alternate per user. */
const history = fc.array(fc.constantFrom('ada', 'bo', 'cy'), { minLength: 1, maxLength: 30 }).map((users) => {
  const present = new Set<string>();
  return users.map((userId, at) => {
    const isPresent = !present.delete(userId);
    if (isPresent) present.add(userId);
    return { userId, isPresent, serial: at + 1, present: [...present] };
  });
});

it('whatever is lost, late, repeated or looked at, each user comes and goes in turn, and the last look is right', () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat(99)), (changes, choices) => {
      const { roster, hear, look, pass } = scene();
      const told = new Map<string, boolean>();
      const tell = (userId: string, isPresent: boolean): void => {
        expect(told.get(userId) ?? false).toBe(!isPresent);
        told.set(userId, isPresent);
      };
      const seen = (serial: number, present: readonly string[]): void => {
        const { added, removed } = look(serial, ...present);
        for (const userId of added) tell(userId, true);
        for (const userId of removed) tell(userId, false);
      };
      const pick = (most: number): number => (choices.next().value ?? 0) % most;
      // Some events are lost, some duplicated, and all arrive in random order.
      const words = changes.flatMap((change) => Array.from({ length: pick(3) }, () => change));
      for (let at = words.length - 1; at > 0; at -= 1) {
        const other = pick(at + 1);
        const [one, two] = [words[at], words[other]];
        if (one !== undefined && two !== undefined) [words[at], words[other]] = [two, one];
      }
      for (const { userId, isPresent, serial } of words) {
        if (hear(userId, isPresent, serial)) tell(userId, isPresent);
        expect(roster.has(userId)).toBe(told.get(userId) ?? false);
        const looked = changes[pick(changes.length)];
        if (pick(4) === 0 && looked !== undefined) seen(looked.serial, looked.present);
        pass(pick(3) * 1000);
      }
      const last = changes.at(-1);
      if (last === undefined) return;
      seen(last.serial + 1, last.present);
      pass(LONG_MS);
      seen(last.serial + 2, last.present);
      const believed = [...told].filter(([, isPresent]) => isPresent).map(([userId]) => userId);
      expect(believed.sort()).toEqual([...last.present].sort());
    }),
    { numRuns: 500 },
  );
});

const update = (serial: number, after?: number) =>
  ({
    kind: 'member_updated',
    channel: 'c',
    member: { ...member('ada'), userInfoText: `{"n":${serial}}` },
    serial,
    ...(after === undefined ? {} : { after }),
  }) as const;
const came = (serial: number) =>
  ({ kind: 'member_added', channel: 'c', member: member('ada'), serial }) as const;
const went = (serial: number, after: number) =>
  ({ kind: 'member_removed', channel: 'c', userId: 'ada', serial, after }) as const;

describe('updates of a member', () => {
  it('wait for the one before them when they overtake it', () => {
    const roster = new Roster();
    expect(roster.hear(came(1))).toHaveLength(1);
    expect(roster.hear(update(3, 2))).toEqual([]);
    expect(roster.hear(went(4, 3))).toEqual([]);
    expect(roster.hear(update(2, 1)).map(({ serial }) => serial)).toEqual([2, 3, 4]);
    expect([roster.has('ada'), roster.hear(update(3, 2))]).toEqual([false, []]);
  });

  it('are told, in order, when the one before them is overdue', async () => {
    const roster = new Roster();
    const overdue: number[] = [];
    const told = new Promise<void>((resolve) => {
      roster.onOverdue = ({ serial }) => {
        overdue.push(serial);
        if (overdue.length === 2) resolve();
      };
    });
    roster.hear(came(1));
    expect([roster.hear(update(4, 3)), roster.hear(update(3, 2))]).toEqual([[], []]);
    await told;
    expect(overdue).toEqual([3, 4]);
    expect(roster.hear(update(2, 1))).toEqual([]);
  });

  it('are told although a look at the store has shown a later state', () => {
    const roster = new Roster();
    roster.hear(came(1));
    roster.compare({ members: [member('ada')], serial: 9 });
    const told = [update(2, 1), update(3, 2), update(2, 1)].flatMap((fact) => roster.hear(fact));
    expect(told.map(({ serial }) => serial)).toEqual([2, 3]);
  });

  it('reach the watchers of every node once and in one order, however the broker interleaves two nodes', () => {
    const changes = fc
      .array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 16 })
      .map((by) => by.map((node, at) => ({ node, fact: update(at + 2, at + 1) })));
    fc.assert(
      fc.property(changes, fc.infiniteStream(fc.boolean()), (all, picks) => {
        const order = (own: number): number[] => {
          const roster = new Roster();
          roster.hear(came(1));
          // Each node's changes arrive in order, interleaved arbitrarily with those of the other node.
          const lines = [0, 1].map((node) => all.filter((one) => one.node === node).map(({ fact }) => fact));
          const told: number[] = [];
          for (let left = all.length; left > 0; left -= 1) {
            const wanted = picks.next().value === true ? own : 1 - own;
            const line = lines[wanted]?.length === 0 ? lines[1 - wanted] : lines[wanted];
            const fact = line?.shift();
            if (fact !== undefined) told.push(...roster.hear(fact).map(({ serial }) => serial));
          }
          return told;
        };
        const expected = all.map(({ fact }) => fact.serial);
        expect([order(0), order(1)]).toEqual([expected, expected]);
      }),
    );
  });

  it('of a node of an older version are told in the order of their serials', () => {
    const roster = new Roster();
    roster.hear(came(1));
    const told = [update(3), update(2), update(4)].flatMap((fact) => roster.hear(fact));
    expect(told.map(({ serial }) => serial)).toEqual([3, 4]);
  });
});
