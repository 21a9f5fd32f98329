import type { Action, Slowness } from './program.js';
import type { ModelClient, Rest } from './world.js';

type Subscribe = Extract<Action, { kind: 'subscribe' }>;

const isSigned = (channel: string): boolean => /^(private|presence)-/.test(channel);
const hasMembers = (channel: string): boolean => channel.startsWith('presence-');
const keepsLast = (channel: string): boolean => /^(private-|presence-|)cache-/.test(channel);
const takesEvents = (channel: string): boolean => isSigned(channel) && !channel.includes('encrypted');

/** Applies a request of a client to the model. */
export function ask(client: ModelClient, action: Action): void {
  if (action.kind === 'signin') return signin(client, action);
  const { channel } = action;
  const turn = client.turns.get(channel);
  if (turn === undefined) follow(client, channel, run(client, action), []);
  // Requests behind it are answered by fast stores.
  else turn.behind.push(() => run(client, 'slow' in action ? { ...action, slow: null } : action));
}

/** A store answers a waiting request; the requests behind it run next. */
export function answer(client: ModelClient, channel: string): void {
  const turn = client.turns.get(channel);
  if (turn === undefined) return;
  client.turns.delete(channel);
  follow(client, channel, turn.rest(), turn.behind);
}

function follow(
  client: ModelClient,
  channel: string,
  first: Rest | undefined,
  behind: (() => Rest | undefined)[],
): void {
  let rest = first;
  while (rest === undefined && behind.length > 0 && client.isOpen) rest = behind.shift()?.();
  if (rest !== undefined) client.turns.set(channel, { rest, behind });
}

function run(client: ModelClient, action: Exclude<Action, { kind: 'signin' }>): Rest | undefined {
  if (action.kind === 'subscribe') return subscribe(client, action);
  if (action.kind === 'unsubscribe') leave(client, action.channel);
  else clientEvent(client, action.channel);
  return undefined;
}

function fail(client: ModelClient, channel: string, code: number, status: number): undefined {
  client.hear(`error ${channel} ${code}`);
  const type = code === 4009 ? 'AuthError' : 'SubscriptionError';
  client.hear(`subscription_error ${channel} ${type} ${status} ${code}`);
}

function subscribe(client: ModelClient, request: Subscribe): Rest | undefined {
  const { channel, isForged } = request;
  const { app } = client;
  if (channel.startsWith('#')) {
    if (channel !== `#server-to-user-${client.signedInAs}`) return fail(client, channel, 4009, 403);
    client.hear(`subscription_succeeded ${channel} {}`);
    return undefined;
  }
  if (isForged && isSigned(channel)) return fail(client, channel, 4009, 401);
  const user = hasMembers(channel) ? (request.user ?? client.signedInAs) : null;
  if (hasMembers(channel) && user === null) return fail(client, channel, 4000, 400);
  const isRepeated = client.subscriptions.has(channel);
  if (isRepeated && client.subscriptions.get(channel) !== user) return fail(client, channel, 4009, 403);
  if (user === null) {
    if (keepsLast(channel)) client.held.set(channel, []);
    return entered(client, request, null, '{}');
  }
  const place = app.place(channel);
  const isFull = !place.has(user) && place.users.length >= app.rules.maxMembers;
  if (isFull && !isRepeated) return fail(client, channel, 4100, 503);
  client.held.set(channel, []);
  const info = request.user === null || request.info === null ? '{}' : `{"n":${request.info}}`;
  if (place.join(user, info, client))
    app.deliver(channel, `member_added ${channel} {"user_id":"${user}","user_info":${info}}`, client);
  const { roster } = place;
  const rest = (): Rest | undefined => entered(client, request, user, roster);
  return request.slow === 'members' ? rest : rest();
}

/** Its members are known: it comes in and is answered. */
function entered(
  client: ModelClient,
  { channel, slow }: Subscribe,
  user: string | null,
  data: string,
): Rest | undefined {
  if (!client.isOpen) {
    if (user !== null) leaveMember(client, channel, user);
    return undefined;
  }
  if (!client.subscriptions.has(channel)) {
    client.subscriptions.set(channel, user);
    client.app.countChanged(channel);
  }
  client.presenceUser ??= user;
  client.hear(`subscription_succeeded ${channel} ${data}`);
  return keepsLast(channel) ? lastEvent(client, channel, slow) : release(client, channel);
}

function lastEvent(client: ModelClient, channel: string, slow: Slowness | null): Rest | undefined {
  const { lastEvents } = client.app;
  const show = (last: string | undefined): undefined => {
    if (last === undefined) client.hear(`cache_miss ${channel} {}`);
    // Shown in order if it arrived meanwhile.
    else if (client.held.get(channel)?.includes(last) !== true) client.hear(last);
    return release(client, channel);
  };
  if (slow === 'lookup') return () => show(lastEvents.get(channel));
  const last = lastEvents.get(channel);
  return slow === 'answer' ? () => show(last) : show(last);
}

function release(client: ModelClient, channel: string): undefined {
  const held = client.held.get(channel) ?? [];
  client.held.delete(channel);
  if (client.subscriptions.has(channel)) for (const line of held) client.hear(line);
}

/** One channel, in both of its parts. */
function leave(client: ModelClient, channel: string): void {
  const user = client.subscriptions.get(channel);
  if (user === undefined) return;
  client.subscriptions.delete(channel);
  client.app.countChanged(channel);
  if (user !== null) leaveMember(client, channel, user);
}

function leaveMember(client: ModelClient, channel: string, user: string): void {
  const { app } = client;
  const place = app.place(channel);
  const tell = (): void => app.deliver(channel, `member_removed ${channel} {"user_id":"${user}"}`, null);
  const lease = app.world.lease(client.leaseMs, (one) => {
    if (place.end(user, one)) tell();
  });
  if (place.leave(user, client, lease)) tell();
}

function clientEvent(client: ModelClient, channel: string): void {
  const { app } = client;
  if (!app.rules.clientEvents || !takesEvents(channel) || !client.subscriptions.has(channel))
    return client.hear(`error ${channel} 4301`);
  const user = client.subscriptions.get(channel) ?? null;
  app.deliver(channel, `client-x ${channel} ${client.number}${user === null ? '' : ` ${user}`}`, client);
}

function signin(
  client: ModelClient,
  { user, watchlist, isForged }: Extract<Action, { kind: 'signin' }>,
): void {
  const { app, signedInAs: before } = client;
  if (!app.rules.signin || isForged) return client.hear('error 4009');
  client.watches = [];
  client.signedInAs = user;
  app.signedIn.delete(client);
  app.signedIn.add(client);
  const userData = JSON.stringify({ id: user, watchlist });
  client.hear(`signin_success ${JSON.stringify({ user_data: userData })}`);
  if (!app.rules.watchlists) return;
  if (before !== null && before !== user) goOffline(client, before);
  if (app.online.join(user, '{}', client)) tellWatchers(client, user, 'online');
  client.watches = [...new Set(watchlist)].filter((one) => one !== user);
  if (client.watches.length === 0) return;
  const isOnline = (one: string): boolean => app.online.has(one);
  const groups = [
    { name: 'online', user_ids: client.watches.filter(isOnline) },
    { name: 'offline', user_ids: client.watches.filter((one) => !isOnline(one)) },
  ];
  client.hear(watchlistEvents(groups.filter(({ user_ids }) => user_ids.length > 0)));
}

const watchlistEvents = (events: readonly object[]): string =>
  `watchlist_events ${JSON.stringify({ events })}`;

function tellWatchers({ app }: ModelClient, user: string, name: 'online' | 'offline'): void {
  for (const client of app.clients)
    if (client.watches.includes(user)) client.hear(watchlistEvents([{ name, user_ids: [user] }]));
}

/** An online user has a connection: the status outlives none. */
function goOffline(client: ModelClient, user: string): void {
  if (client.app.online.leave(user, client, null)) tellWatchers(client, user, 'offline');
}

/** Ends clients in one turn of the loop; their subscriptions are removed in the next. */
export function end(clients: readonly ModelClient[], code: number): void {
  for (const client of clients) {
    client.closeCode = code;
    client.leaseMs = code === 1006 || code === 4200 ? client.app.world.leaseMs : 0;
    for (const turn of client.turns.values()) turn.behind.length = 0;
  }
  const [first] = clients;
  first?.app.world.later(`end of ${clients.map(({ number }) => number).join()}`, () => cleanUp(clients));
}

function cleanUp(clients: readonly ModelClient[]): void {
  for (const client of clients) {
    const subscriptions = [...client.subscriptions];
    for (const [channel] of subscriptions) {
      client.subscriptions.delete(channel);
      client.app.countChanged(channel);
    }
    client.app.clients.delete(client);
    client.app.signedIn.delete(client);
    client.watches = [];
    for (const [channel, user] of subscriptions) if (user !== null) leaveMember(client, channel, user);
  }
  for (const client of clients)
    if (client.signedInAs !== null && client.app.rules.watchlists) goOffline(client, client.signedInAs);
}
