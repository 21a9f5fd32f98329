import * as fc from 'fast-check';

const APPS = ['shop', 'other'] as const;
const USERS = ['ada', 'bob', 'eve', 'zoe'] as const;
const CHANNELS = [
  'orders',
  'private-a',
  'private-encrypted-a',
  'presence-a',
  'presence-b',
  'cache-a',
  'private-cache-a',
  'presence-cache-a',
] as const;

/**
 * Point at which a subscribe waits for a store: the answer with members, before the last event is looked up, or
 * after.
 */
export type Slowness = 'members' | 'lookup' | 'answer';

/** A request of a client. */
export type Action =
  | {
      readonly kind: 'subscribe';
      readonly channel: string;
      /** On a presence channel; null: the signed-in user. */
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

/** The next event. `who` is any number that selects one of the present clients. */
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
const app = fc.constantFrom(...APPS, 'shop' as const);
const seldom = fc.integer({ min: 0, max: 9 }).map((one) => one === 9);

const constant = <Kind extends string>(kind: Kind): fc.Arbitrary<Kind> => fc.constant(kind);

/** Few enough values that requests affect each other. */
interface Palette {
  readonly channel: fc.Arbitrary<string>;
  readonly user: fc.Arbitrary<string>;
  /** Also those of users. */
  readonly anyChannel: fc.Arbitrary<string>;
}

function palette(channels: readonly string[], users: readonly string[]): Palette {
  const channel = fc.constantFrom(...channels);
  const user = fc.constantFrom(...users);
  const toUser = user.map((one) => `#server-to-user-${one}`);
  return {
    channel,
    user,
    anyChannel: fc.oneof({ weight: 5, arbitrary: channel }, { weight: 1, arbitrary: toUser }),
  };
}

function actionOf({ channel, user, anyChannel }: Palette): fc.Arbitrary<Action> {
  const subscribe = fc.record({
    kind: constant('subscribe'),
    channel: anyChannel,
    user: fc.option(user, { freq: 5 }),
    info: fc.option(fc.nat(9)),
    isForged: seldom,
    slow: fc.option(fc.constantFrom<Slowness>('members', 'lookup', 'answer'), { freq: 2 }),
  });
  const signin = fc.record({
    kind: constant('signin'),
    user,
    watchlist: fc.array(user, { maxLength: 4 }),
    isForged: seldom,
  });
  return fc.oneof(
    { weight: 6, arbitrary: subscribe },
    { weight: 3, arbitrary: fc.record({ kind: constant('unsubscribe'), channel }) },
    { weight: 2, arbitrary: fc.record({ kind: constant('event'), channel }) },
    { weight: 2, arbitrary: signin },
  );
}

function stepOf(about: Palette): fc.Arbitrary<Step> {
  const { user, anyChannel } = about;
  const ask = fc.record({
    kind: constant('ask'),
    who,
    actions: fc.array(actionOf(about), { minLength: 1, maxLength: 4 }),
    closes: seldom,
  });
  const publish = fc.record({
    kind: constant('publish'),
    app,
    channel: anyChannel,
    times: fc.integer({ min: 1, max: 3 }),
    except: fc.option(who, { freq: 2 }),
  });
  const wait = fc.record({ kind: constant('wait'), ms: fc.constantFrom(400, 1100, 31_000) });
  return fc.oneof(
    { weight: 12, arbitrary: ask },
    { weight: 7, arbitrary: publish },
    { weight: 4, arbitrary: fc.record({ kind: constant('answer'), which: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ kind: constant('connect'), app }) },
    { weight: 2, arbitrary: wait },
    { weight: 2, arbitrary: fc.record({ kind: constant('kick'), user, comesBack: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: constant('drop'), who }) },
  );
}

/** Some clients connect first, so that most steps have a client. */
export const program: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.shuffledSubarray([...CHANNELS], { minLength: 1, maxLength: 3 }),
    fc.shuffledSubarray([...USERS], { minLength: 1, maxLength: 4 }),
  )
  .chain(([channels, users]) =>
    fc.tuple(
      fc.array(app, { minLength: 1, maxLength: 3 }),
      fc.array(stepOf(palette(channels, users)), { maxLength: 50, size: 'max' }),
    ),
  )
  .map(([apps, steps]) => [...apps.map((one) => ({ kind: 'connect' as const, app: one })), ...steps]);
