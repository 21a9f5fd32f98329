/** One stay of a user on one connection, as the client knows it. */
export interface Stay {
  readonly user: string;
  readonly gateway: string;
  /** Null: it asked and was not confirmed, so nobody knows. */
  readonly confirmedAtMs: number | null;
  /** Null while it lasts. */
  readonly endedAtMs: number | null;
}

/** What a watcher has been told about a user. */
export interface Change {
  readonly user: string;
  readonly what: 'added' | 'removed';
}

/** One connection that watches. */
export interface Watch {
  readonly name: string;
  readonly gateway: string;
  /** Users of its confirmation. */
  readonly initial: readonly string[];
  readonly changes: readonly Change[];
}

/** Users who are there, by what their clients know. */
const presentUsers = (stays: readonly Stay[]): Set<string> =>
  new Set(
    stays
      .filter(({ confirmedAtMs, endedAtMs }) => confirmedAtMs !== null && endedAtMs === null)
      .map(({ user }) => user),
  );

/** Whom a watcher believes to be there, watchers themselves left out. */
function believed({ initial, changes }: Watch): Set<string> {
  const users = new Set(initial);
  for (const { user, what } of changes) {
    if (what === 'added') users.add(user);
    else users.delete(user);
  }
  return users;
}

/** How a watcher's belief differs from what is; more may still be on its way. */
export function differences(watch: Watch, stays: readonly Stay[]): string[] {
  const [seen, real] = [believed(watch), presentUsers(stays)];
  const where = `${watch.name} on ${watch.gateway}`;
  return [
    ...[...seen].filter((user) => !real.has(user)).map((user) => `${where}: ${user} is a ghost`),
    ...[...real].filter((user) => !seen.has(user)).map((user) => `${where}: ${user} is missing`),
  ];
}

/** How often the fault itself may make users seem to come. */
export interface Allowance {
  /** Others may have given a node up while it lived, which makes its users go and come. */
  readonly givenUp?: number;
}

/** What no wait can heal: somebody added twice or removed twice, or told to have come more often than they did. */
export function checkChanges(
  watch: Watch,
  stays: readonly Stay[],
  { givenUp = 0 }: Allowance = {},
): string[] {
  const where = `${watch.name} on ${watch.gateway}`;
  const here = new Set(watch.initial);
  const added = new Map<string, number>();
  const wrong: string[] = [];
  for (const { user, what } of watch.changes) {
    if (here.has(user) === (what === 'added')) wrong.push(`${where}: ${user} ${what} twice`);
    if (what === 'removed') here.delete(user);
    else {
      here.add(user);
      added.set(user, (added.get(user) ?? 0) + 1);
    }
  }
  for (const [user, times] of added) {
    const most = visits(stays.filter((stay) => stay.user === user)) + givenUp;
    if (times > most) {
      const spans = stays.filter((stay) => stay.user === user).map(spanOf);
      wrong.push(`${where}: ${user} added ${times} times, came ${most} times at most: ${spans.join(', ')}`);
    }
  }
  return wrong;
}

const spanOf = ({ gateway, confirmedAtMs, endedAtMs }: Stay): string =>
  `${gateway} ${confirmedAtMs?.toFixed() ?? '?'} to ${endedAtMs?.toFixed() ?? '?'}`;

/** Most times that somebody can have come: stays that overlap are one visit, an unconfirmed one may be a visit. */
function visits(stays: readonly Stay[]): number {
  const known = stays
    .flatMap(({ confirmedAtMs, endedAtMs }) =>
      confirmedAtMs === null ? [] : [{ from: confirmedAtMs, to: endedAtMs ?? Infinity }],
    )
    .sort((one, other) => one.from - other.from);
  let count = stays.length - known.length;
  let until = -Infinity;
  for (const { from, to } of known) {
    if (from > until) count += 1;
    until = Math.max(until, to);
  }
  return count;
}
