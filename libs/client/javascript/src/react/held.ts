import type { SubscribeOptions } from '../channel/options.js';
import type { Carillon } from '../client.js';

/** Reference counts of the channels of each client. */
const holders = new WeakMap<Carillon, Map<string, number>>();

/** Keeps the channel subscribed until the returned function is called; the first holder's options apply. */
export function hold(client: Carillon, name: string, options?: SubscribeOptions): () => void {
  const counts = holders.get(client) ?? new Map<string, number>();
  holders.set(client, counts);
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  if (count === 0) client.subscribe(name, options);
  return () => {
    const left = (counts.get(name) ?? 1) - 1;
    if (left > 0) {
      counts.set(name, left);
      return;
    }
    counts.delete(name);
    client.channel(name).unsubscribe();
  };
}
