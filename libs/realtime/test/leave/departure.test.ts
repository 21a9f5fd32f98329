import { ERRORS, type ErrorCode } from '@carillon/errors';
import { describe, expect, it } from 'vitest';
import { endCause, leaveCause, mayComeBack, type End } from '../../src/leave/departure.js';

const all = (end: End) => [endCause(end), mayComeBack(end), leaveCause(end)];

describe('a departure', () => {
  it.each([1000, 1001, 1005, 3000, 4001, 4100, 4200, 4999])(
    'by a close frame of the client (%i) is on purpose',
    (closedWith) => {
      expect(all({ endedFor: null, closedWith })).toEqual(['client_close', false, 'left']);
    },
  );

  it('of a client that sent too large a message is a fault, and final', () => {
    expect(all({ endedFor: null, closedWith: 1009 })).toEqual(['fatal_error', false, 'left']);
  });

  it('without a close frame may be undone', () => {
    expect(all({ endedFor: null, closedWith: 1006 })).toEqual(['transport_eof', true, 'connection_lost']);
  });

  it.each([
    ['pong_missing', 'activity_timeout', true, 'connection_lost'],
    ['inactive', 'fatal_error', true, 'connection_lost'],
    ['authentication_timeout', 'auth_timeout', false, 'left'],
    ['disconnected_by_app', 'administrative_close', false, 'forced_disconnect'],
    ['reconnect_requested', 'administrative_close', true, 'forced_disconnect'],
    ['app_disabled', 'administrative_close', false, 'forced_disconnect'],
    ['app_does_not_exist', 'administrative_close', false, 'forced_disconnect'],
    ['token_revoked', 'token_revoked', false, 'forced_disconnect'],
    ['over_capacity', 'slow_consumer', true, 'connection_lost'],
    ['server_shutting_down', 'server_shutdown', true, 'left'],
    ['closed_by_rate_limit', 'fatal_error', false, 'left'],
  ] as const)('for %s is %s', (endedFor, cause, back, leave) => {
    // The close code is irrelevant: the service's reason takes precedence, whether or not the client responded.
    for (const closedWith of [0, 1000, 1006, 4201]) {
      expect(all({ endedFor, closedWith })).toEqual([cause, back, leave]);
    }
  });

  it('keeps the lease for exactly the close codes that ask to reconnect', () => {
    for (const [endedFor, { closeCode }] of Object.entries(ERRORS)) {
      if (closeCode === null) continue;
      const back = closeCode >= 4100 && closeCode <= 4299;
      expect([endedFor, mayComeBack({ endedFor: endedFor as ErrorCode, closedWith: 1006 })]).toEqual([
        endedFor,
        back,
      ]);
    }
  });
});
