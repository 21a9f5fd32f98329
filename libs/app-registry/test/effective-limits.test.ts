import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveLimits, type EffectiveLimits, type GlobalLimits } from '../src/index.js';
import { GLOBALS, record } from './samples.js';

/** Each limit that has a global value: its name in the record, where the global one stands, and its unit. */
const LEVELS = [
  [
    'max_presence_members_per_channel',
    'presence',
    'max_members_per_channel',
    'maxPresenceMembersPerChannel',
    1,
  ],
  ['max_presence_member_size_in_kb', 'presence', 'max_member_size_in_kb', 'maxPresenceMemberBytes', 1024],
  ['max_channel_name_length', 'channel_limits', 'max_name_length', 'maxChannelNameBytes', 1],
  ['max_event_channels_at_once', 'event_limits', 'max_channels_at_once', 'maxEventChannelsAtOnce', 1],
  ['max_event_name_length', 'event_limits', 'max_name_length', 'maxEventNameBytes', 1],
  ['max_event_payload_in_kb', 'event_limits', 'max_payload_in_kb', 'maxEventPayloadBytes', 1024],
  ['max_event_batch_size', 'event_limits', 'max_batch_size', 'maxEventBatchSize', 1],
] as const;

const value = fc.oneof(fc.constantFrom(null, 0), fc.integer({ min: 1, max: 4_294_967_295 }));

const limitsWith = (limits: object, globals: GlobalLimits = GLOBALS): EffectiveLimits =>
  effectiveLimits(record('a', { policy: { limits } }), globals);

describe('effective limits', () => {
  it.each(LEVELS)(
    'takes %s from the app, else from %s.%s, else from nowhere',
    (name, section, member, result, unit) => {
      fc.assert(
        fc.property(value, value, (own, global) => {
          const globals = { ...GLOBALS, [section]: { ...GLOBALS[section], [member]: global } };
          const set = [own, global].find((level) => level !== null) ?? 0;
          expect(limitsWith({ [name]: own }, globals)[result]).toBe(set === 0 ? Infinity : set * unit);
        }),
      );
    },
  );

  it('limits only the lengths of names when nobody sets anything', () => {
    const { maxChannelNameBytes, maxEventNameBytes, ...others } = limitsWith({});
    expect([maxChannelNameBytes, maxEventNameBytes]).toEqual([200, 200]);
    expect(new Set(Object.values(others))).toEqual(new Set([Infinity]));
  });

  it.each([
    [{}, null, false],
    [{}, 100, true],
    [{ max_event_payload_in_kb: 0 }, 100, false],
  ])('refuses 150 KB as the app (%j) and the global value (%s) say', (limits, max_payload_in_kb, refused) => {
    const globals = { ...GLOBALS, event_limits: { ...GLOBALS.event_limits, max_payload_in_kb } };
    expect(150 * 1024 > limitsWith(limits, globals).maxEventPayloadBytes).toBe(refused);
  });

  it('takes the limits that have no global value from the app alone', () => {
    const limits = { max_connections: 1, max_client_events_per_second: 2, max_backend_events_per_second: 3 };
    expect(limitsWith({ ...limits, max_read_requests_per_second: 0 })).toMatchObject({
      maxConnections: 1,
      maxClientEvents: 2,
      maxBackendEventsPerSecond: 3,
      maxReadRequestsPerSecond: Infinity,
    });
  });
});
