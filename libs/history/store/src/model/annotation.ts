/** What an event of an annotation is. */
export type AnnotationAction = 'create' | 'delete';

/** One committed event: something was annotated to a message, or that was taken back. */
export interface AnnotationEvent {
  readonly streamKey: string;
  /** Counts the annotation events of a stream. */
  readonly annotationNo: number;
  readonly annotationSerial: string;
  readonly messageSerial: string;
  readonly type: string;
  readonly action: AnnotationAction;
  /** A UUID; the same on what takes it back. */
  readonly annotationId: string;
  /** Of a delete: the number of what it takes back. */
  readonly targetNo: number | null;
  readonly name: string | null;
  readonly clientId: string | null;
  readonly count: number | null;
  /** JSON text. */
  readonly data: string | null;
  readonly encoding: string | null;
  readonly atMs: number;
  /** Who asked for it, for the audit. */
  readonly actorClientId: string | null;
  readonly actorSocketId: string | null;
}

/** What of an annotation counts. */
export type Contribution = Pick<AnnotationEvent, 'action' | 'clientId' | 'count' | 'name'>;

/** What all annotations of one type of a message come to. */
export interface AnnotationSummary {
  readonly streamKey: string;
  readonly messageSerial: string;
  readonly type: string;
  /** JSON text, with every client, as it was before what came since. `{}` is none of any type. */
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

/** An annotation that is to be taken back, with what took it back before. */
export interface FoundAnnotation {
  readonly created: AnnotationEvent;
  /** Null: nothing. */
  readonly deleted: AnnotationEvent | null;
}
