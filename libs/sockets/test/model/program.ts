import * as fc from 'fast-check';

export const APPS = ['shop', 'other'] as const;
export const USERS = ['ada', 'bob', 'eve', 'zoe'] as const;
export const CHANNELS = [
  'orders',
  'private-a',
  'private-encrypted-a',
  'presence-a',
  'presence-b',
  'cache-a',
  'private-cache-a',
  'presence-cache-a',
] as const;

/** Where a subscribe waits for a store: for its members' answer, before its last event is looked up, or after. */
export type Slowness = 'members' | 'lookup' | 'answer';

/** What a client asks for. */
export type Action =
  | {
      readonly kind: 'subscribe';
      readonly channel: string;
      /** On a presence channel; null: whoever is signed in. */
      readonly user: string | null;
      /** In the `user_info`; null: none is given. */
      readonly info: number | null;
      readonly isForged: boolean;
      readonly slow: Slowness | null;
    }
  | { readonly kind: 'unsubscribe'; readonly channel: string }
  | { readonly kind: 'event'; readonly channel: string }
  | {
      readonly kind: 'signin';
      readonly user: string;
      readonly watchlist: readonly string[];
      readonly isForged: boolean;
    };

/** What happens next. `who` is any number: the client is found by it among those that are there. */
export type Step =
  | { readonly kind: 'connect'; readonly app: (typeof APPS)[number] }
  /** All of it arrives in one piece. */
  | {
      readonly kind: 'ask';
      readonly who: number;
      readonly actions: readonly Action[];
      readonly closes: boolean;
    }
  | { readonly kind: 'drop'; readonly who: number }
  | {
      readonly kind: 'publish';
      readonly app: (typeof APPS)[number];
      readonly channel: string;
      readonly times: number;
      readonly except: number | null;
    }
  | { readonly kind: 'kick'; readonly user: string; readonly comesBack: boolean }
  | { readonly kind: 'wait'; readonly ms: number }
  /** One of the stores answers. */
  | { readonly kind: 'answer'; readonly which: number };

const who = fc.nat(5);
const channel = fc.constantFrom(...CHANNELS);
const user = fc.constantFrom(...USERS);
const seldom = fc.integer({ min: 0, max: 9 }).map((one) => one === 9);

const toUser = user.map((one) => `#server-to-user-${one}`);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      channel: fc.oneof({ weight: 12, arbitrary: channel }, { weight: 1, arbitrary: toUser }),
      user: fc.option(user, { freq: 5 }),
      info: fc.option(fc.nat(9)),
      isForged: seldom,
      slow: fc.option(fc.constantFrom('members' as const, 'lookup' as const, 'answer' as const)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('unsubscribe' as const), channel }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('event' as const), channel }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('signin' as const),
      user,
      watchlist: fc.array(user, { maxLength: 4 }),
      isForged: seldom,
    }),
  },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('connect' as const), app: fc.constantFrom(...APPS, 'shop') }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      who,
      actions: fc.array(action, { minLength: 1, maxLength: 5 }),
      closes: seldom,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), who }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      app: fc.constantFrom(...APPS, 'shop'),
      channel: fc.oneof({ weight: 8, arbitrary: channel }, { weight: 1, arbitrary: toUser }),
      times: fc.integer({ min: 1, max: 3 }),
      except: fc.option(who, { freq: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('kick' as const), user, comesBack: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(400, 1100, 31_000) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(5) }) },
);

/** Some clients come first, so that most of what follows has somebody to happen to. */
export const program: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.array(fc.constantFrom(...APPS, 'shop'), { maxLength: 3 }), fc.array(step, { maxLength: 40 }))
  .map(([apps, steps]) => [...apps.map((app) => ({ kind: 'connect' as const, app })), ...steps]);
