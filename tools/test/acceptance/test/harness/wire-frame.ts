export type HeaderValue = string | number | boolean;

/** What a frame carries beside its data. */
export interface ExtrasV2 {
  readonly headers?: Readonly<Record<string, HeaderValue>>;
  readonly ephemeral?: boolean;
  readonly echo?: boolean;
  readonly ai?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly [name: string]: unknown;
}

/** A frame of protocol 2 as JSON shows it, whatever format it came in. */
export interface FrameV2 {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
  readonly name?: string;
  readonly user_id?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly message_id?: string;
  readonly stream_id?: string;
  readonly serial?: number;
  readonly extras?: ExtrasV2;
  readonly __delta_seq?: number;
  readonly __conflation_key?: string;
}

/** A frame as a client sends it. */
export type SentFrame = Pick<FrameV2, 'event' | 'channel' | 'data' | 'message_id' | 'extras'>;

/** Members that are there. */
export const present = <Members extends object>(members: Members): Partial<Members> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<Members>;
