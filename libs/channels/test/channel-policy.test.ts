import { describe, expect, it } from 'vitest';
import {
  Channels,
  clientPublishRefusal,
  subscribeRefusal,
  type ChannelPolicy,
  type GlobalChannelSettings,
} from '../src/index.js';
import { accepted, appWith, appWithNamespaces, GLOBALS } from './samples.js';

function policyOf(name: string, policy: object, globals: GlobalChannelSettings = GLOBALS): ChannelPolicy {
  return accepted(new Channels(globals).publishTarget(appWith(policy), name)).policy;
}

const namespace = (more: object) => ({ channels: { channel_namespaces: [{ name: 'ns', ...more }] } });

const numbers = ({ history: kept, presenceHistory: moves }: ChannelPolicy): unknown[] => [
  [kept.enabled, kept.rewindEnabled, kept.retentionWindowSeconds, kept.maxMessages, kept.maxBytes],
  [moves.enabled, moves.retentionWindowSeconds, moves.maxEvents, moves.maxBytes],
];

const keeping = (max: number) => namespace({ history: { max_messages_per_channel: max } });

describe('channel policy', () => {
  it('takes the global values where nothing else is set, without bounds where they have none', () => {
    expect(policyOf('x', {})).toEqual({
      maxNameBytes: 200,
      annotationsEnabled: false,
      history: {
        enabled: false,
        rewindEnabled: false,
        retentionWindowSeconds: 86_400,
        maxMessages: Infinity,
        maxBytes: Infinity,
      },
      presenceHistory: {
        enabled: false,
        retentionWindowSeconds: 86_400,
        maxEvents: Infinity,
        maxBytes: Infinity,
      },
      recovery: { enabled: false, maxCount: 100, maxAgeMs: 120_000 },
      allowUserLimitedChannels: false,
      allowSubscribeForClient: true,
      allowPublishForClient: true,
      allowPresenceForClient: true,
    });
  });

  it('resolves every setting of both histories by namespace, then app, then global', () => {
    const global = {
      ...GLOBALS,
      history: {
        enabled: true,
        rewind_enabled: true,
        retention_window_seconds: 1,
        max_messages_per_channel: 2,
        max_bytes_per_channel: 3,
        max_events_per_channel: null,
      },
      presence_history: {
        enabled: true,
        retention_window_seconds: 4,
        max_events_per_channel: 5,
        max_bytes_per_channel: 6,
      },
    };
    const history = { rewind_enabled: false, retention_window_seconds: 10, max_messages_per_channel: 20 };
    const presence = { enabled: false, retention_window_seconds: 40, max_events_per_channel: 50 };
    const app = {
      history: { ...history, max_bytes_per_channel: 30 },
      presence_history: { ...presence, max_bytes_per_channel: 60 },
    };
    const own = namespace({
      history: {
        rewind_enabled: true,
        retention_window_seconds: 100,
        max_messages_per_channel: 200,
        max_bytes_per_channel: 300,
      },
      presence_history: {
        enabled: true,
        retention_window_seconds: 400,
        max_events_per_channel: 500,
        max_bytes_per_channel: 600,
      },
    });
    expect(numbers(policyOf('x', {}, global))).toEqual([
      [true, true, 1, 2, 3],
      [true, 4, 5, 6],
    ]);
    expect(numbers(policyOf('x', { ...app, ...own }, global))).toEqual([
      [true, false, 10, 20, 30],
      [false, 40, 50, 60],
    ]);
    expect(numbers(policyOf('ns:x', { ...app, ...own }, global))).toEqual([
      [true, true, 100, 200, 300],
      [true, 400, 500, 600],
    ]);
    const partial = namespace({ history: { max_bytes_per_channel: 7 } });
    expect(numbers(policyOf('ns:x', { ...app, ...partial }, global))).toEqual([
      [true, false, 10, 20, 7],
      [false, 40, 50, 60],
    ]);
  });

  it('keeps no more events than any channel may, whoever allows more messages', () => {
    const global = { ...GLOBALS, history: { ...GLOBALS.history, max_events_per_channel: 30 } };
    expect(policyOf('x', {}, global).history.maxMessages).toBe(30);
    expect(policyOf('ns:x', keeping(5), global).history.maxMessages).toBe(5);
    expect(policyOf('ns:x', keeping(200), global).history.maxMessages).toBe(30);
  });

  it.each([
    [null, null, false],
    [true, null, true],
    [true, false, false],
    [false, true, true],
    [null, true, true],
  ])('has annotations with app %s and namespace %s: %s, and history with them', (app, own, expected) => {
    const record = {
      channels: {
        annotations_enabled: app,
        channel_namespaces: [{ name: 'ns', annotations_enabled: own }],
      },
      history: { enabled: false },
    };
    const on = policyOf('ns:x', record, { ...GLOBALS, annotations: { enabled: true } });
    expect([on.annotationsEnabled, on.history.enabled, on.history.rewindEnabled]).toEqual(
      Array(3).fill(expected),
    );
    const off = policyOf('ns:x', record);
    expect([off.annotationsEnabled, off.history.enabled]).toEqual([false, false]);
  });

  it('lets the app turn history on and off', () => {
    expect(policyOf('x', { history: { enabled: true } }).history.enabled).toBe(true);
    const on = { ...GLOBALS, history: { ...GLOBALS.history, enabled: true } };
    expect(policyOf('x', { history: { enabled: false } }, on).history.enabled).toBe(false);
  });
});

describe('permissions of a namespace', () => {
  const channels = new Channels(GLOBALS);
  const app = appWithNamespaces(
    { name: 'nosub', allow_subscribe_for_client: false },
    { name: 'nopub', allow_publish_for_client: false },
    { name: 'nopresence', allow_presence_for_client: false },
  );

  it.each([
    ['nosub:1', 'subscribe_not_allowed', undefined],
    ['nosub:*', 'subscribe_not_allowed', undefined],
    ['[meta]nosub:1', 'subscribe_not_allowed', undefined],
    ['presence-nosub:1', 'subscribe_not_allowed', undefined],
    ['private-nopub:1', undefined, 'publish_not_allowed'],
    ['private-nopresence:1', undefined, undefined],
    ['presence-nopresence:1', 'presence_not_allowed', undefined],
    ['presence-cache-nopresence:1', 'presence_not_allowed', undefined],
    ['[meta]presence-nopresence:1', 'presence_not_allowed', undefined],
    ['presence-1', undefined, undefined],
    ['#server-to-user-nosub:1', undefined, undefined],
  ])('%s: subscribe %s, publish %s', (name, subscribe, publish) => {
    const channel = accepted(channels.subscription(app, name, 2));
    const refusal = subscribeRefusal(channel);
    expect(refusal?.reason).toBe(subscribe);
    expect(clientPublishRefusal(channel)?.reason).toBe(publish);
    expect(refusal?.frame).toBe(subscribe === undefined ? undefined : 'forbidden');
  });

  it('do not concern the server of the customer', () => {
    expect(accepted(channels.publishTarget(app, 'nopub:1')).name).toBe('nopub:1');
  });
});
