import type { Session, Wire } from '../src/cluster/wire.js';

const never = <Value>(): Promise<Value> => new Promise(() => {});

/** A wire that can be cut, like that of a process that died silently. */
export function severable(wire: Wire): { readonly wire: Wire; sever(): void } {
  let isSevered = false;
  return {
    sever: () => (isSevered = true),
    wire: {
      names: wire.names,
      open: async (listener): Promise<Session> => {
        if (isSevered) throw new Error('severed');
        const session = await wire.open({
          message: (address, bytes) => !isSevered && listener.message(address, bytes),
          dropped: (addresses) => listener.dropped(addresses),
          lost: (reason) => listener.lost(reason),
        });
        return {
          lanes: {
            call: (...about) => (isSevered ? never() : session.lanes.call(...about)),
            serve: (...about) => (isSevered ? never() : session.lanes.serve(...about)),
            stopServing: (...about) => (isSevered ? never() : session.lanes.stopServing(...about)),
          },
          publish: (address, text, key) => (isSevered ? never() : session.publish(address, text, key)),
          subscribe: (addresses) => (isSevered ? never() : session.subscribe(addresses)),
          unsubscribe: (addresses) => (isSevered ? never() : session.unsubscribe(addresses)),
          check: () => (isSevered ? Promise.resolve() : session.check()),
          close: () => session.close(),
        };
      },
    },
  };
}
