// What a client says. Subjects and replies hold no white space: ours are encoded, others came through a server.

import type { Nkey } from './nkey.js';

export interface Login {
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** Signs what the server gives it to sign. */
  readonly nkey?: Nkey;
  /** Says what the key may do. Absent: the server knows the key itself. */
  readonly jwt?: string;
}

export interface Introduction {
  readonly name: string;
  readonly login: Login;
  /** Whether what it publishes comes back to its own subscriptions. */
  readonly echo: boolean;
  readonly isSecure: boolean;
  /** What the server gives to sign; null: nothing. */
  readonly nonce: string | null;
}

export const PING = 'PING\r\n';
export const PONG = 'PONG\r\n';

/** Asks for headers too, without which a server cannot say that nobody takes a request. */
export function connectLine({ name, login, echo, isSecure, nonce }: Introduction): string {
  const { user, pass, token, nkey, jwt } = login;
  const about = {
    verbose: false,
    pedantic: false,
    protocol: 1,
    headers: true,
    no_responders: true,
    lang: 'carillon',
    version: '1',
    name,
    echo,
    tls_required: isSecure,
    user,
    pass,
    auth_token: token,
    jwt,
    nkey: nkey?.publicKey,
    sig: nonce === null ? undefined : nkey?.sign(nonce),
  };
  return `CONNECT ${JSON.stringify(about)}\r\n`;
}

/** Of those who share a queue's name one gets each message; empty: everybody does. */
export const subscribeLine = (subject: string, sid: number, queue: string): string =>
  queue === '' ? `SUB ${subject} ${sid}\r\n` : `SUB ${subject} ${queue} ${sid}\r\n`;

export const unsubscribeLine = (sid: number): string => `UNSUB ${sid}\r\n`;

/** @param bytes how long the text is in UTF-8 */
export const publishLine = (subject: string, text: string, bytes: number, reply: string): string =>
  reply === '' ? `PUB ${subject} ${bytes}\r\n${text}\r\n` : `PUB ${subject} ${reply} ${bytes}\r\n${text}\r\n`;
