import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';

export interface WireRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface WireReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The first 64 KiB. */
  readonly body: string;
}

export interface WireOptions {
  /** PEM of trusted certificate authorities, instead of those of the system. */
  readonly authorities?: string | undefined;
  /** Client certificate. */
  readonly identity?: { readonly cert: string; readonly key: string } | Container | undefined;
  /** DNS lookup; absent: the system's, without restrictions. */
  readonly lookup?: LookupFunction | undefined;
  /** Keeps idle connections open, with a liveness check every minute; otherwise they are closed after five minutes. */
  readonly longLived?: boolean | undefined;
}

interface Container {
  readonly pfx: Buffer;
  readonly passphrase: string;
}

/** The certificate or container cannot be read, or not with this password. */
export class IdentityUnusable extends Error {
  override readonly name = 'IdentityUnusable';
}

/** Nothing more is sent: closed, or more requests are waiting than may. */
export class WireRefused extends Error {
  override readonly name = 'WireRefused';
}

/** Connection to one server. */
export interface Connection {
  /** False: it takes no more, for good. */
  readonly usable: boolean;
  /** False: it takes no more until one that runs is answered. */
  readonly hasRoom: boolean;
  readonly sockets: number;
  post(request: WireRequest, signal: AbortSignal): Promise<WireReply>;
  /** Finds out whether the other side lives. */
  ping(): void;
  close(): void;
}
