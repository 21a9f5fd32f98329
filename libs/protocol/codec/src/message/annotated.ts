/** A message was annotated, or an annotation taken back. */
export interface Annotated {
  readonly kind: 'annotated';
  readonly channel: string;
  /**
   * JSON text of one annotation as annotations are listed: `action` (`annotation.create`, `annotation.delete`), `serial`,
   * `messageSerial`, `type`, `timestamp`, and where it has them `id`, `name`, `clientId`, `count`, `data`, `encoding`.
   */
  readonly annotationText: string;
}

/** What all annotations of some types of one message come to now. */
export interface AnnotationsSummarized {
  readonly kind: 'annotations_summarized';
  readonly channel: string;
  readonly messageSerial: string;
  /** JSON text of an object: type → what its annotations come to. */
  readonly summaryText: string;
}

/** What subscribers are told of annotations. Neither has a place in the channel's stream, and neither is replayed. */
export type AnnotationFact = Annotated | AnnotationsSummarized;
