import type { ComponentType, ReactNode } from 'react';
import { describe, expectTypeOf, it } from 'vitest';
import type {
  Carillon,
  CarillonError,
  Channel,
  ClientOptions,
  HistoryPage,
  LiveMessage,
  Member,
  Message,
  Receipt,
  Recovery,
  SubscribeOptions,
  WireFormat,
} from '../src/index.js';
import type { fossil } from '../src/delta/fossil.js';
import type { secretbox } from '../src/encrypted.js';
import type { messagepack } from '../src/format/messagepack.js';
import type { protobuf } from '../src/format/protobuf.js';
import type { CarillonProvider, useEvent, usePresence } from '../src/react/index.js';

interface Orders {
  readonly paid: { readonly id: number };
  readonly note: string;
}

const told = (client: Carillon, channel: Channel): void => {
  client.on('tokenExpired', ({ isRevoked }) => expectTypeOf(isRevoked).toBeBoolean());
  channel.on('recovery', (recovery) => {
    expectTypeOf(recovery).toEqualTypeOf<Recovery>();
    if (recovery.recovered) expectTypeOf(recovery.replayed).toBeNumber();
    else expectTypeOf(recovery.reason).toBeString();
  });
  // @ts-expect-error there is no such event
  channel.on('nothing', () => undefined);
};

describe('what the compiler knows', () => {
  it('is the data of each event of a channel', () => {
    type OrderChannel = Channel<Orders>;
    type Bind = OrderChannel['bind'];
    const bound = (bind: Bind): void => {
      bind('paid', (data, message) => {
        expectTypeOf(data).toEqualTypeOf<{ readonly id: number }>();
        expectTypeOf(message).toEqualTypeOf<Message<{ readonly id: number }>>();
      });
      bind('note', (data) => expectTypeOf(data).toBeString());
      // @ts-expect-error there is no such event
      bind('sold', () => undefined);
    };
    expectTypeOf(bound).toBeFunction();
    type Untyped = Parameters<Parameters<Channel['bind']>[1]>[0];
    expectTypeOf<Untyped>().toBeUnknown();
  });

  it('is what each event of the client and of a channel tells', () => {
    expectTypeOf(told).parameters.toEqualTypeOf<[Carillon, Channel]>();
  });

  it('is which options belong together', () => {
    expectTypeOf<{ key: 'k'; url: 'u' }>().toExtend<ClientOptions>();
    expectTypeOf<{ key: 'k' }>().not.toExtend<ClientOptions>();
    expectTypeOf<{ rewind: { seconds: 60 } }>().toExtend<SubscribeOptions>();
    type Node = { key: 'a'; cmp: 'in'; val: 'x' };
    expectTypeOf<{ filter: { tags: Node } }>().not.toExtend<SubscribeOptions>();
  });

  it('is that formats, decoders and decryptors fit where they are used', () => {
    expectTypeOf<typeof messagepack>().toExtend<WireFormat>();
    expectTypeOf<typeof protobuf>().toExtend<NonNullable<ClientOptions['format']>>();
    expectTypeOf<[typeof fossil]>().toExtend<NonNullable<ClientOptions['deltas']>>();
    expectTypeOf<typeof secretbox>().toExtend<NonNullable<ClientOptions['decryptor']>>();
    expectTypeOf<typeof WebSocket>().toExtend<NonNullable<ClientOptions['WebSocket']>>();
  });

  it('is what promises and hooks give', () => {
    expectTypeOf<Channel['history']>().returns.resolves.toEqualTypeOf<HistoryPage>();
    expectTypeOf<ReturnType<Channel['live']>['list']>().toEqualTypeOf<readonly LiveMessage[]>();
    expectTypeOf<ReturnType<typeof usePresence<{ name: string }>>>().toEqualTypeOf<
      readonly Member<{ name: string }>[]
    >();
    expectTypeOf<Parameters<Parameters<typeof useEvent<number>>[2]>[0]>().toBeNumber();
    expectTypeOf<typeof CarillonProvider>().toExtend<
      ComponentType<{ client: Carillon; children?: ReactNode }>
    >();
  });
});

describe('send', () => {
  it('returns a promise of a receipt that has the id of the event', () => {
    expectTypeOf<ReturnType<Channel['send']>>().toExtend<Promise<Receipt>>();
    expectTypeOf<ReturnType<Channel['send']>['id']>().toBeString();
    expectTypeOf<Receipt['serial']>().toEqualTypeOf<number | null>();
    expectTypeOf<CarillonError['reason']>().toEqualTypeOf<'disconnected' | 'timeout' | null>();
  });
});
