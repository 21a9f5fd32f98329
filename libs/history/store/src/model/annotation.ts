/** Kind of an annotation event. */
export type AnnotationAction = 'create' | 'delete';

/** One committed event: an annotation was created or deleted. */
export interface AnnotationEvent {
  readonly streamKey: string;
  /** Counts the annotation events of a stream. */
  readonly annotationNo: number;
  readonly annotationSerial: string;
  readonly messageSerial: string;
  readonly type: string;
  readonly action: AnnotationAction;
  /** A UUID; a delete has that of its create. */
  readonly annotationId: string;
  /** For a delete: the number of the deleted annotation. */
  readonly targetNo: number | null;
  readonly name: string | null;
  readonly clientId: string | null;
  readonly count: number | null;
  /** JSON text. */
  readonly data: string | null;
  readonly encoding: string | null;
  readonly atMs: number;
  /** Client and socket of the request, for audits. */
  readonly actorClientId: string | null;
  readonly actorSocketId: string | null;
}

/** Fields of an annotation that count for its summary. */
export type Contribution = Pick<AnnotationEvent, 'action' | 'clientId' | 'count' | 'name'>;

/** Summary of all annotations of one type of a message. */
export interface AnnotationSummary {
  readonly streamKey: string;
  readonly messageSerial: string;
  readonly type: string;
  /** JSON text with all clients, before the later contributions. `{}` if there are none of any type. */
  readonly summary: string;
  /** In their order. */
  readonly since: readonly Contribution[];
  /** The annotation that changed it last. */
  readonly lastNo: number;
  readonly changedAtMs: number;
}

/** A summary as it is written. */
export interface NewSummary extends Omit<AnnotationSummary, 'summary'> {
  /** Null: the one that is stored stays. */
  readonly summary: string | null;
}

/** A summary as a batch finds it. */
export interface FoundSummary extends Omit<AnnotationSummary, 'summary'> {
  /** Null, and nothing since: it is the one that was known. */
  readonly summary: string | null;
}

/** An annotation to be deleted, with its earlier delete event. */
export interface FoundAnnotation {
  readonly created: AnnotationEvent;
  /** Null: nothing. */
  readonly deleted: AnnotationEvent | null;
}
