import {
  CompatError,
  type CompatCore,
  NOT_GRANTED,
  type Principal,
  readChannelName,
  readCredentials,
  type WireFormat,
} from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import { type ClientOrigin, rulesOf } from '@carillon/realtime';
import type { HttpRequest } from '@carillon/uws';
import type { Manner } from './connection.js';
import { grantedModes, MODE } from './flags.js';

/** The protocol version from which clients reattach their channels with their serials after a reconnect. */
const FIRST_TO_ATTACH_ANEW = 2;
const MAX_EARLY = 16;
const MAX_AGENT_CHARACTERS = 128;
const MIN_REMAIN_MS = 1000;
const MAX_REMAIN_MS = 15_000;

/**
 * The connect options of an upgraded socket. They are copied, because the request is no longer valid when
 * authentication completes.
 */
export class Arrival {
  /** Channels that it must be allowed to subscribe to. */
  subscribed: readonly string[] = [];
  /** Frames received before its admission. */
  readonly early: { readonly bytes: Uint8Array; readonly isBinary: boolean }[] = [];

  constructor(
    readonly manner: Manner,
    /** The key of the connection to resume; null: a new connection. */
    readonly wanted: string | null,
    /**
     * Whether the client reattaches its channels after a reconnect. Clients of older versions do not and would
     * receive nothing.
     */
    readonly attachesAnew: boolean,
    readonly origin: string,
    readonly from: ClientOrigin,
    private readonly credentials: () => Promise<Principal>,
  ) {}

  /** Stores a copy of a frame that arrived before the admission; drops further ones beyond a limit. */
  hold(data: ArrayBuffer, isBinary: boolean): void {
    if (this.early.length < MAX_EARLY) this.early.push({ bytes: new Uint8Array(data.slice(0)), isBinary });
  }

  /** @throws CompatError, or rejects with it. */
  async prove(): Promise<Principal> {
    const principal = await this.credentials();
    if (!rulesOf(principal.app).allowsOrigin(this.origin))
      throw new CompatError(40_300, 'the origin is not allowed');
    for (const name of this.subscribed)
      if ((grantedModes(principal.capability, readChannelName(name).base) & MODE.SUBSCRIBE) === 0)
        throw new CompatError(40_160, NOT_GRANTED);
    return principal;
  }
}

/**
 * Reads the connect options of a client; null if the format is unknown. `isHttp`: the transport has no pings, so that
 * the client always gets HEARTBEAT frames.
 */
export function arrivalOf(
  request: HttpRequest,
  core: CompatCore,
  config: Config,
  isHttp = false,
): Arrival | null {
  const { query } = request;
  const format = query['format'] ?? 'json';
  if (format !== 'json' && format !== 'msgpack') return null;
  const authorization = request.header('authorization');
  const clientId = request.header('x-ably-clientid');
  const header = (name: string): string | undefined =>
    name === 'authorization' ? authorization : name === 'x-ably-clientid' ? clientId : undefined;
  const manner = mannerOf(query, format, config.presence.v2_ungraceful_timeout_seconds * 1000);
  return new Arrival(
    isHttp ? { ...manner, beats: true } : manner,
    query['resume'] || query['recover'] || null,
    !(Number(query['v'] || FIRST_TO_ATTACH_ANEW) < FIRST_TO_ATTACH_ANEW),
    request.header('origin') ?? '',
    { address: request.forwardedIp, client: query['agent']?.slice(0, MAX_AGENT_CHARACTERS) || null },
    async () => core.authentication.prove(readCredentials({ query, header }), Date.now()),
  );
}

function mannerOf(
  query: Readonly<Record<string, string | undefined>>,
  format: WireFormat,
  leaseMs: number,
): Manner {
  const { remainPresentFor = '' } = query;
  const asksToRemain = /^\d{1,9}$/.test(remainPresentFor);
  const remainMs = asksToRemain
    ? Math.min(MAX_REMAIN_MS, Math.max(MIN_REMAIN_MS, Number(remainPresentFor)))
    : leaseMs;
  const [echoes, beats] = [query['echo'] !== 'false', query['heartbeats'] !== 'false'];
  return { format, echoes, beats, remainMs, asksToRemain };
}
