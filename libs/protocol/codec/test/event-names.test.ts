import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventForProtocol, isClientEvent, readReservedEvent } from '../src/index.js';

const PREFIXES = [
  '',
  'pusher:',
  'pusher_internal:',
  'service:',
  'service_internal:',
  'client-',
  'pusher_',
  'Pusher:',
];
const event = fc.tuple(fc.constantFrom(...PREFIXES), fc.string()).map((parts) => parts.join(''));

describe('the prefix of an event', () => {
  it.each([
    ['pusher:pong', 'service:pong'],
    ['pusher_internal:member_added', 'service_internal:member_added'],
    ['pusher:', 'service:'],
    ['pusher:service:x', 'service:service:x'],
  ])('is %s on protocol 1 and %s on protocol 2', (first, second) => {
    expect(eventForProtocol(second, 1)).toBe(first);
    expect(eventForProtocol(first, 2)).toBe(second);
    expect(eventForProtocol(first, 1)).toBe(first);
    expect(eventForProtocol(second, 2)).toBe(second);
  });

  it.each(['order.paid', 'client-typing', 'pusher', 'PUSHER:ping', ' pusher:ping', 'my-service:x', ''])(
    'is left alone in %j',
    (name) => {
      expect(eventForProtocol(name, 1)).toBe(name);
      expect(eventForProtocol(name, 2)).toBe(name);
      expect(readReservedEvent(name)).toBeNull();
    },
  );

  it('can be rewritten to the other protocol and back without loss', () => {
    fc.assert(
      fc.property(event, (name) => {
        const first = eventForProtocol(name, 1);
        const second = eventForProtocol(name, 2);
        expect(eventForProtocol(second, 1)).toBe(first);
        expect(eventForProtocol(first, 2)).toBe(second);
        expect([first, second]).toContain(name);
        expect(readReservedEvent(first)).toEqual(readReservedEvent(second));
      }),
    );
  });

  it('tells system events from internal ones, whichever protocol spells them', () => {
    for (const prefix of ['pusher:', 'service:']) {
      expect(readReservedEvent(`${prefix}subscribe`)).toEqual({ kind: 'system', name: 'subscribe' });
    }
    for (const prefix of ['pusher_internal:', 'service_internal:']) {
      expect(readReservedEvent(`${prefix}x`)).toEqual({ kind: 'internal', name: 'x' });
    }
  });

  it('makes a client event only when it is client-', () => {
    expect(isClientEvent('client-typing')).toBe(true);
    expect(isClientEvent('client-')).toBe(true);
    for (const name of ['client', 'Client-x', 'xclient-', 'pusher:client-x']) {
      expect(isClientEvent(name)).toBe(false);
    }
  });
});
