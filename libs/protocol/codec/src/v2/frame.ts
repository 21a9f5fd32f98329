import type { OutboundFrame } from '../outbound/frame.js';

/**
 * One frame to a client of protocol 2, free of its wire format. Absent and null mean that the frame has no such member.
 * JSON texts are put in as they are.
 */
export interface FrameV2 extends OutboundFrame {
  /** Opaque bytes of a client of a binary format; goes before `dataText`. */
  readonly dataBytes?: Uint8Array | null;
  /** The original name of an event about a message. */
  readonly name?: string | null;
  /** JSON text of an object of strings. */
  readonly tagsText?: string | null;
  readonly messageId?: string | null;
  readonly streamId?: string | null;
  readonly serial?: number | null;
  /** JSON text of an object, as delivered: see `deliveredExtras`. */
  readonly extrasText?: string | null;
}

/** Type of a frame's data, for formats that distinguish strings, other JSON and bytes. */
export type WireData =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array };

/** The data of a frame; null: it has none. */
export function wireData({ dataBytes, dataText }: FrameV2): WireData | null {
  if (dataBytes !== undefined && dataBytes !== null) return { kind: 'binary', bytes: dataBytes };
  if (dataText === undefined || dataText === null) return null;
  const isString = dataText.trimStart().startsWith('"');
  return isString
    ? { kind: 'string', value: JSON.parse(dataText) as string }
    : { kind: 'json', text: dataText };
}

/** The tags of a frame in ascending order of their names; empty: it has none. */
export function sortedTags(tagsText: string | null | undefined): readonly (readonly [string, string])[] {
  if (tagsText === undefined || tagsText === null) return [];
  const tags = Object.entries(JSON.parse(tagsText) as Record<string, string>);
  return tags.sort(([a], [b]) => (a < b ? -1 : 1));
}
