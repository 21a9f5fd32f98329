import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataOf, eventText, isUrgent, legacyTwin } from '../../src/events/event.js';
import { wantsEvent } from '../../src/events/interest.js';
import { app } from '../samples.js';

describe('the text of an event', () => {
  it('is that of the documented examples', () => {
    expect(eventText({ name: 'channel_occupied', channel: 'orders' })).toBe(
      '{"name":"channel_occupied","channel":"orders"}',
    );
    expect(eventText({ name: 'member_added', channel: 'presence-lobby', user_id: 'u-9' })).toBe(
      '{"name":"member_added","channel":"presence-lobby","user_id":"u-9"}',
    );
    expect(eventText({ name: 'cache_miss', channel: 'cache-prices', data: '{}' })).toBe(
      '{"name":"cache_miss","channel":"cache-prices","data":"{}"}',
    );
    expect(eventText({ name: 'subscription_count', channel: 'orders', subscription_count: 3 })).toBe(
      '{"name":"subscription_count","channel":"orders","subscription_count":3}',
    );
  });

  it('has the data of a client event as a string whatever it is, and a user only where there is one', () => {
    const event = {
      name: 'client_event',
      channel: 'private-a',
      event: 'client-x',
      socket_id: '1.2',
    } as const;
    const sent = [
      ['"a string"', 'a string'],
      ['{"n":12345678901234567890, "m" : 1.50}', '{"n":12345678901234567890, "m" : 1.50}'],
      ['null', 'null'],
      ['[1]', '[1]'],
    ] as const;
    for (const [json, data] of sent) {
      expect(JSON.parse(eventText({ ...event, data: dataOf(json) }))).toEqual({ ...event, data });
    }
    const withUser = eventText({ ...event, data: dataOf('1'), user_id: 'u' });
    expect(JSON.parse(withUser)).toMatchObject({ user_id: 'u', data: '1' });
    expect(eventText({ ...event, data: dataOf('1') })).not.toContain('user_id');
  });

  it('is JSON whatever the names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (channel, user_id) => {
        const event = { name: 'member_removed', channel, user_id } as const;
        expect(JSON.parse(eventText(event))).toEqual(event);
      }),
    );
  });

  it('says null where a run does not tell', () => {
    const event = {
      name: 'ai_run_ended',
      channel: 'ai:1',
      run_id: null,
      reason: 'error',
      error_code: null,
    } as const;
    expect(JSON.parse(eventText(event))).toEqual(event);
  });
});

describe('events of AI transport', () => {
  it('are urgent, and nothing else is', () => {
    expect(isUrgent('ai_run_started')).toBe(true);
    expect(isUrgent('ai_cancel_requested')).toBe(true);
    expect(isUrgent('ai_stream_orphaned')).toBe(true);
    expect(isUrgent('client_event')).toBe(false);
    expect(isUrgent('annotation_created')).toBe(false);
  });

  it('have an older name where they begin and end', () => {
    const started = { name: 'ai_run_started', channel: 'ai:1', run_id: 'r', client_id: null } as const;
    expect(legacyTwin(started)).toEqual({ ...started, name: 'ai_turn_started', turn_id: 'r' });
    const ended = {
      name: 'ai_run_ended',
      channel: 'ai:1',
      run_id: 'r',
      reason: 'complete',
      error_code: null,
    } as const;
    expect(legacyTwin(ended)).toEqual({ ...ended, name: 'ai_turn_ended', turn_id: 'r' });
    expect(legacyTwin({ name: 'channel_occupied', channel: 'a' })).toBe(null);
  });
});

describe('an app wants an event', () => {
  it('when any of its receivers lists it, by its exact name', () => {
    const shop = app([
      { url: 'http://a/', event_types: ['cache_miss', 'Channel_occupied'] },
      { url: 'http://b/', event_types: ['member_added'] },
    ]);
    expect(wantsEvent(shop, 'cache_miss')).toBe(true);
    expect(wantsEvent(shop, 'member_added')).toBe(true);
    expect(wantsEvent(shop, 'channel_occupied')).toBe(false);
    expect(wantsEvent(app(), 'cache_miss')).toBe(false);
  });
});
