/** What the service refused, or what went wrong on the way to it. */
export class CarillonError extends Error {
  override readonly name = 'CarillonError';
  /** The number of the service's error frame or of its close; 0: it did not come from the service. */
  readonly code: number;
  /** The channel it is about; null: none. */
  readonly channel: string | null;
  /** The HTTP status that goes with it; null: none is told. */
  readonly status: number | null;

  constructor(
    message: string,
    about: { readonly code?: number; readonly channel?: string | null; readonly status?: number | null } = {},
  ) {
    super(message);
    this.code = about.code ?? 0;
    this.channel = about.channel ?? null;
    this.status = about.status ?? null;
  }
}

/** Anything that was thrown, as an error. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new CarillonError(String(thrown));
