/** Status codes of gRPC that drivers decide by. */
export const STATUS = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unauthenticated: 16,
} as const;

/** Codes after which the same request can succeed: cancelled, unknown, deadline, exhausted, aborted, internal, unavailable. */
const TRANSIENT: ReadonlySet<number> = new Set([1, 2, 4, 8, 10, 13, 14]);

/** A request that Pub/Sub refused or did not answer. */
export class PubsubError extends Error {
  override readonly name = 'PubsubError';

  constructor(
    message: string,
    /** Status code of gRPC; null: the request was not sent, because there are no usable credentials. */
    readonly code: number | null,
    /** Whether the project itself does not exist. */
    readonly isUnknownProject = false,
  ) {
    super(message);
  }

  /** Whether the same request can succeed later. */
  get isTransient(): boolean {
    return this.code !== null && TRANSIENT.has(this.code);
  }
}

/** Whether Pub/Sub answered with this status; never for an unknown project. */
export const hasCode = (error: unknown, code: number): boolean =>
  error instanceof PubsubError && error.code === code && !error.isUnknownProject;

/**
 * Converts any error of the client library, and names the setting to correct.
 *
 * @param block Path of the settings, such as `queue.google_pubsub`.
 */
export function pubsubError(error: unknown, block: string, projectId: string): PubsubError {
  if (error instanceof PubsubError) return error;
  const { code, details, message } = fieldsOf(error);
  const text = details || message || 'the request failed';
  if (code === null) {
    const remedy = 'set GOOGLE_APPLICATION_CREDENTIALS or run with a service account';
    return new PubsubError(`${block}: no usable credentials (${text}); ${remedy}`, null);
  }
  if (code === STATUS.permissionDenied || code === STATUS.unauthenticated) {
    const remedy = 'grant the role roles/pubsub.editor on the project';
    return new PubsubError(`${block}: project "${projectId}" denies access (${text}); ${remedy}`, code);
  }
  if (code === STATUS.notFound && /project/i.test(text) && !/(topics|subscriptions)\//.test(text)) {
    const reason = `${block}.project_id: project "${projectId}" does not exist (${text})`;
    return new PubsubError(reason, code, true);
  }
  return new PubsubError(text, code);
}

interface Fields {
  readonly code: number | null;
  readonly details: string;
  readonly message: string;
}

function fieldsOf(error: unknown): Fields {
  if (typeof error === 'string') return { code: 1, details: error, message: '' };
  const { code, details, message } = (error ?? {}) as {
    code?: unknown;
    details?: unknown;
    message?: unknown;
  };
  return {
    code: typeof code === 'number' ? code : null,
    details: typeof details === 'string' ? details : '',
    message: typeof message === 'string' ? message : '',
  };
}
