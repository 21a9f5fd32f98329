import { rawMember } from '../json/raw-member.js';
import type { Annotated, AnnotationFact, AnnotationsSummarized } from '../message/annotated.js';
import type { FrameV2 } from '../v2/frame.js';

/** Returns the protocol 2 frame of an annotation event. */
export const annotationFrameV2 = (fact: AnnotationFact): FrameV2 =>
  fact.kind === 'annotated'
    ? { event: 'service_internal:annotation', channel: fact.channel, dataText: fact.annotationText }
    : {
        event: 'service_internal:message',
        channel: fact.channel,
        dataText:
          `{"action":"message.summary","serial":${JSON.stringify(fact.messageSerial)},` +
          `"annotations":{"summary":${fact.summaryText}}}`,
        extrasText: '{"ephemeral":true}',
      };

/** Decodes such a frame from an annotation record; null if it is none. Never throws. */
export function readAnnotatedV2(text: string, channel: string): Annotated | null {
  const annotationText = rawMember(text, 'data');
  return annotationText === null ? null : { kind: 'annotated', channel, annotationText };
}

/** The same of a summary. */
export function readSummarizedV2(text: string, channel: string): AnnotationsSummarized | null {
  const data = rawMember(text, 'data');
  const serial = data === null ? null : rawMember(data, 'serial');
  const annotations = data === null ? null : rawMember(data, 'annotations');
  const summaryText = annotations === null ? null : rawMember(annotations, 'summary');
  if (serial === null || summaryText === null) return null;
  try {
    const messageSerial: unknown = JSON.parse(serial);
    if (typeof messageSerial !== 'string') return null;
    return { kind: 'annotations_summarized', channel, messageSerial, summaryText };
  } catch {
    return null;
  }
}
