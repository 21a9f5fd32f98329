import type { Acknowledged } from '../message/fact.js';
import type { FrameV2 } from '../v2/frame.js';

/** A capability token was taken over. */
export function authSuccess(token: {
  readonly clientId: string;
  readonly jti: string;
  readonly expiresAt: number;
}): FrameV2 {
  const data = { client_id: token.clientId, jti: token.jti, exp: token.expiresAt };
  return { event: 'service:auth_success', dataText: JSON.stringify(data) };
}

/** Answers a client event by its `message_id`: accepted, with its position if the channel has any, or refused. */
export function acknowledgement({ messageId, channel, outcome }: Acknowledged): FrameV2 {
  const data = {
    message_id: messageId,
    ...(channel === null ? {} : { channel }),
    ok: outcome.isAccepted,
    ...(outcome.isAccepted
      ? outcome.position !== null && { stream_id: outcome.position.streamId, serial: outcome.position.serial }
      : { code: outcome.code, message: outcome.message }),
  };
  return { event: 'service:ack', dataText: JSON.stringify(data) };
}

/** The token's time is over; the connection has a little while to bring another one. */
export const TOKEN_EXPIRED: FrameV2 = {
  event: 'service:token_expired',
  dataText: '{"code":40142,"reason":"expired"}',
};

/** Whether differences are sent from now on, on one channel or (null) on the connection. */
export function deltaEnabled(algorithm: string | null, channel: string | null): FrameV2 {
  const data = {
    enabled: algorithm !== null,
    ...(algorithm === null ? {} : { algorithm }),
    ...(channel === null ? {} : { channel }),
  };
  return {
    event: 'service:delta_compression_enabled',
    ...(channel === null ? {} : { channel }),
    dataText: JSON.stringify(data),
  };
}
