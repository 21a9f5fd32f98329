import type { PresenceMember } from '@carillon/protocol';
import { isObject, type JsonObject, parseJson } from '../json.js';

/** The presence data that a client publishes about itself. */
export interface MemberState {
  readonly clientId: string;
  readonly connectionId: string;
  readonly data: string | null;
  readonly encoding: string | null;
  /** Stored only for members that are connections; native clients do not support them. */
  readonly extras: JsonObject | null;
  /** The time of the client's last change, reported with the member. */
  readonly atMs: number;
}

/** A member as clients get it. */
export interface WireMember {
  readonly id?: string;
  readonly action: number;
  readonly clientId: string;
  readonly connectionId: string;
  readonly data?: string;
  readonly encoding?: string;
  readonly extras?: JsonObject;
  readonly timestamp: number;
}

/** The placeholder for an unknown connection of a member. */
const UNKNOWN_CONNECTION = '0.0';
const NATIVE = 'presence-';
const LEAVE = 3;

/** Whether the members of a channel are users, which native clients also see. */
export const isShared = (channel: string): boolean => channel.startsWith(NATIVE);

/** The stored form of a member. */
export interface KeptMember {
  readonly userId: string;
  readonly userInfoText: string;
}

/**
 * Returns the stored form. On native presence channels a member is a user with user info. On other channels members
 * are connections, which only Ably clients see.
 */
export function memberState(channel: string, state: MemberState): KeptMember {
  const { clientId, connectionId, data, encoding, extras, atMs } = state;
  if (isShared(channel)) return { userId: clientId, userInfoText: userInfoOf(data, encoding) };
  return {
    userId: `${connectionId}:${clientId}`,
    userInfoText: JSON.stringify({ data, encoding, ...(extras === null ? {} : { extras }), at: atMs }),
  };
}

/**
 * Returns the last state of a member that leaves: the data of the leave, else the last data, and the extras that
 * belong to it. Null if the leave has neither, so that the member leaves with its state.
 */
export function leftState(channel: string, state: MemberState, lastText: string): string | null {
  if (state.data !== null) return memberState(channel, state).userInfoText;
  if (state.extras === null || isShared(channel)) return null;
  const { data = null, encoding = null } = keptData(lastText);
  return memberState(channel, { ...state, data, encoding }).userInfoText;
}

/** Stores JSON data as native clients do; other data is stored with its encoding. */
function userInfoOf(data: string | null, encoding: string | null): string {
  if (data === null) return '{}';
  // Native clients treat null as no data.
  if (encoding === 'json' && (parseJson(data) ?? null) !== null) return data;
  return JSON.stringify(encoding === null ? { data } : { data, encoding });
}

/**
 * Decodes a stored member. The serial orders two states of it; null: unknown. The timestamp is that of the last change for
 * a connection, and the given time for a leave and for a user of a native presence channel.
 */
export function memberOf(
  channel: string,
  { userId, userInfoText, socketId }: PresenceMember,
  about: { readonly action: number; readonly serial: number | null; readonly timestamp: number },
): WireMember {
  const { action, serial, timestamp } = about;
  const named = isShared(channel)
    ? { connectionId: socketId || UNKNOWN_CONNECTION, clientId: userId, ...nativeData(userInfoText) }
    : { ...namesOf(userId), ...keptData(userInfoText) };
  const changedAtMs = isShared(channel) || action === LEAVE ? null : changeTimeOf(userInfoText);
  return {
    ...(serial === null ? {} : { id: `${named.connectionId}:${serial}:0` }),
    action,
    ...named,
    timestamp: changedAtMs ?? timestamp,
  };
}

/** Null: it was stored by an earlier version, which kept no time. */
function changeTimeOf(text: string): number | null {
  const kept = parseJson(text);
  return isObject(kept) && typeof kept['at'] === 'number' ? kept['at'] : null;
}

/** Returns the clientId of a stored member. */
export const clientOf = (channel: string, userId: string): string =>
  isShared(channel) ? userId : namesOf(userId).clientId;

function namesOf(userId: string): Pick<WireMember, 'clientId' | 'connectionId'> {
  const colon = userId.indexOf(':');
  return { connectionId: userId.slice(0, colon), clientId: userId.slice(colon + 1) };
}

function keptData(text: string): Pick<WireMember, 'data' | 'encoding' | 'extras'> {
  const kept = parseJson(text);
  if (!isObject(kept)) return {};
  const { data, encoding, extras } = kept;
  return {
    ...(typeof data === 'string' ? { data } : {}),
    ...(typeof data === 'string' && typeof encoding === 'string' ? { encoding } : {}),
    ...(isObject(extras) ? { extras } : {}),
  };
}

function nativeData(text: string): Pick<WireMember, 'data' | 'encoding'> {
  const info = parseJson(text);
  if (info === null) return {};
  if (!isObject(info)) return { data: text, encoding: 'json' };
  const { data, encoding, ...others } = info;
  const isPlain = Object.keys(others).length === 0;
  if (isPlain && data === undefined && encoding === undefined) return {};
  // Restores non-JSON data of an Ably client.
  if (isPlain && typeof data === 'string' && encoding === undefined) return { data };
  if (isPlain && typeof data === 'string' && typeof encoding === 'string') return { data, encoding };
  return { data: text, encoding: 'json' };
}
