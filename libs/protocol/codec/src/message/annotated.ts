/** An annotation was created or deleted. */
export interface Annotated {
  readonly kind: 'annotated';
  readonly channel: string;
  /**
   * JSON text of one annotation as annotations are listed: `action` (`annotation.create`, `annotation.delete`), `serial`,
   * `messageSerial`, `type`, `timestamp`, and where it has them `id`, `name`, `clientId`, `count`, `data`, `encoding`.
   */
  readonly annotationText: string;
}

/** New summaries of some annotation types of one message. */
export interface AnnotationsSummarized {
  readonly kind: 'annotations_summarized';
  readonly channel: string;
  readonly messageSerial: string;
  /** JSON text of an object: type → summary. */
  readonly summaryText: string;
}

/** Annotation events for subscribers. They have no serial in the channel's stream and are not replayed. */
export type AnnotationFact = Annotated | AnnotationsSummarized;
