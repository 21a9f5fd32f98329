import type { AnnotationEvent, AnnotationSummary } from '@carillon/history-store';
import { Tally } from './tally.js';

/**
 * Client lists over the size limit are truncated to the first of these lengths that fits; without any, the frame is
 * sent regardless of its size.
 */
const CUTS = [64, 32, 16, 8, 4, 2, 1];

/** Identifies a summary. */
export interface SummaryOf {
  readonly channel: string;
  readonly messageSerial: string;
  readonly type: string;
}

/** Frame of the summary of all annotations of a type. */
export interface SummaryFrame {
  readonly text: string;
  readonly isClipped: boolean;
}

/** Every subscriber of a channel receives a summary with every annotation, so its size is bounded for all apps. */
const MAX_FRAME_BYTES = 65_536;

/**
 * The frame of a summary. Lists of clients are clipped if the frame exceeds `maxBytes` (0: the app has no limit) or
 * 65,536 bytes; totals stay exact. Without any client it is returned whatever its size.
 */
export function summaryFrame(of: SummaryOf, tally: Tally, maxBytes: number): SummaryFrame {
  const room = roomIn(of, maxBytes);
  if (tally.bytes <= room) return { text: frameText(of, tally.text()), isClipped: false };
  const clients = CUTS.find((cut) => tally.bytesAt(cut) <= room) ?? 0;
  return { text: frameText(of, tally.text(clients)), isClipped: true };
}

/**
 * The frame of a stored summary. Uses the stored text as it is if no contribution came since and it fits, which is far cheaper than
 * rebuilding the summary from its clients.
 */
export function storedSummaryFrame(
  of: SummaryOf,
  stored: Pick<AnnotationSummary, 'since' | 'summary'>,
  maxBytes: number,
): SummaryFrame {
  const isCurrent = stored.since.length === 0 && Buffer.byteLength(stored.summary) <= roomIn(of, maxBytes);
  if (isCurrent) return { text: frameText(of, stored.summary), isClipped: false };
  return summaryFrame(of, Tally.of(of.type, stored), maxBytes);
}

/** Bytes that a frame has for the summary itself. */
function roomIn(of: SummaryOf, maxBytes: number): number {
  const limit = maxBytes === 0 ? MAX_FRAME_BYTES : Math.min(maxBytes, MAX_FRAME_BYTES);
  return limit - Buffer.byteLength(frameText(of, ''));
}

const frameText = ({ channel, messageSerial, type }: SummaryOf, summary: string): string =>
  `{"event":"service_internal:message","channel":${JSON.stringify(channel)},"data":{"action":"message.summary",` +
  `"serial":${JSON.stringify(messageSerial)},"annotations":{"summary":{${JSON.stringify(type)}:${summary}}}},` +
  `"extras":{"ephemeral":true}}`;

/** One annotation as it is listed and as the raw frame carries it: JSON text. */
export function annotationText(event: AnnotationEvent): string {
  const made = event.action === 'create';
  const members: [string, string | null][] = [
    ['action', JSON.stringify(`annotation.${event.action}`)],
    ['id', made ? JSON.stringify(event.annotationId) : null],
    ['serial', JSON.stringify(event.annotationSerial)],
    ['messageSerial', JSON.stringify(event.messageSerial)],
    ['type', JSON.stringify(event.type)],
    ['name', event.name === null ? null : JSON.stringify(event.name)],
    ['clientId', event.clientId === null ? null : JSON.stringify(event.clientId)],
    ['count', event.count === null ? null : String(event.count)],
    ['data', made ? event.data : null],
    ['encoding', made && event.encoding !== null ? JSON.stringify(event.encoding) : null],
    ['timestamp', String(event.atMs)],
  ];
  const given = members.filter(([, text]) => text !== null);
  return `{${given.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

/** Returns the frame of one annotation, for subscribers of individual annotations. */
export const annotationFrame = (channel: string, event: AnnotationEvent): string =>
  `{"event":"service_internal:annotation","channel":${JSON.stringify(channel)},"data":${annotationText(event)}}`;
