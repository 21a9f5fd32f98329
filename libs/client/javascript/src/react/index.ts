import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Channel, EventMap } from '../channel/channel.js';
import type { Message } from '../channel/message.js';
import type { SubscribeOptions } from '../channel/options.js';
import type { Member } from '../channel/presence.js';
import type { Carillon } from '../client.js';
import type { ConnectionState } from '../connection/state.js';
import type { LiveMessage } from '../messages/fold.js';
import type { LiveOptions } from '../messages/live-messages.js';
import { hold } from './held.js';

const Context = createContext<Carillon | null>(null);

/** Provides a client to the component tree. The creator of the client connects and disconnects it. */
export const CarillonProvider = (props: { readonly client: Carillon; readonly children?: ReactNode }) =>
  createElement(Context.Provider, { value: props.client }, props.children);

/** Returns the client of the nearest provider; throws if there is none. */
export function useCarillon(): Carillon {
  const client = useContext(Context);
  if (client === null) throw new Error('There is no CarillonProvider above');
  return client;
}

/** Returns the state of the connection. */
export function useConnectionState(): ConnectionState {
  const client = useCarillon();
  return useSyncExternalStore(
    useCallback((changed) => client.on('state', changed), [client]),
    () => client.state,
    () => 'initialized',
  );
}

/** The channel, subscribed for as long as any component uses it. The options of the first one apply. */
export function useChannel<Events extends object = EventMap>(
  name: string,
  options?: SubscribeOptions,
): Channel<Events> {
  const client = useCarillon();
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => hold(client, name, latest.current), [client, name]);
  return client.channel<Events>(name);
}

/** Calls the latest listener with the data of each event of that name. */
export function useEvent<Data = unknown>(
  name: string,
  event: string,
  listener: (data: Data, message: Message<Data>) => void,
): void {
  const channel = useChannel<Record<string, Data>>(name);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => channel.bind(event, (data, message) => latest.current(data, message)), [channel, event]);
}

const NOBODY: readonly Member[] = [];

/** Returns the members of a presence channel. */
export function usePresence<Info = unknown>(name: string): readonly Member<Info>[] {
  const { presence } = useChannel(name);
  const members = useSyncExternalStore(
    useCallback((changed) => presence.on('change', changed), [presence]),
    () => presence.members,
    () => NOBODY,
  );
  return members as readonly Member<Info>[];
}

/** The channel's messages as they are now, those of the past among them. */
export function useMessages(
  name: string,
  options: LiveOptions & { readonly subscribe?: SubscribeOptions } = {},
): readonly LiveMessage[] {
  const channel = useChannel(name, options.subscribe);
  const latest = useRef(options);
  latest.current = options;
  const [list, setList] = useState<readonly LiveMessage[]>([]);
  useEffect(() => {
    const live = channel.live(latest.current);
    const stop = live.on('change', setList);
    // The rewind option of the first holder applies.
    const { rewind } = latest.current.subscribe ?? {};
    const isRewinding = channel.state === 'subscribing' && channel.subscription.options.rewind !== undefined;
    if (!isRewinding) void live.load(typeof rewind === 'number' ? rewind : undefined);
    return () => {
      stop();
      live.close();
      setList([]);
    };
  }, [channel]);
  return list;
}
