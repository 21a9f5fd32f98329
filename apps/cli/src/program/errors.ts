import { EXIT } from './exit-codes.js';

export interface ErrorDetails {
  readonly code: string;
  readonly exitCode: number;
  /** HTTP status; absent: the service did not answer. */
  readonly status?: number | null;
  readonly cure?: string;
  readonly cause?: unknown;
}

/** A failure that is reported with its remedy, and decides the exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;
  readonly exitCode: number;
  readonly status: number | null;
  readonly cure: string | null;

  constructor(text: string, { code, exitCode, status = null, cure, cause }: ErrorDetails) {
    super(text, cause === undefined ? undefined : { cause });
    this.code = code;
    this.exitCode = exitCode;
    this.status = status;
    this.cure = cure ?? null;
  }
}

const withCure = (cure: string | undefined): { readonly cure?: string } =>
  cure === undefined ? {} : { cure };

export const usageError = (text: string, cure?: string): CommandError =>
  new CommandError(text, { code: 'usage', exitCode: EXIT.usage, ...withCure(cure) });

export const configurationError = (text: string, cure?: string): CommandError =>
  new CommandError(text, { code: 'configuration', exitCode: EXIT.configuration, ...withCure(cure) });

export const failure = (text: string, code = 'failed', cure?: string): CommandError =>
  new CommandError(text, { code, exitCode: EXIT.failed, ...withCure(cure) });

export const unreachable = (target: string, reason: string, cause?: unknown): CommandError =>
  new CommandError(`cannot reach ${target}: ${reason}`, {
    code: 'unreachable',
    exitCode: EXIT.unreachable,
    cure: 'start the service with "carillon serve", or name its address with --url',
    cause,
  });

const SIGNAL_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
};

/** The reason of the abort signal of an invocation after a signal of the operating system. */
export const interrupted = (signal: NodeJS.Signals): CommandError =>
  new CommandError(`interrupted by ${signal}`, {
    code: 'interrupted',
    exitCode: SIGNAL_CODES[signal] ?? EXIT.interrupted,
  });

/** Anything that was thrown. An unexpected error is a failure with its text. */
export function commandErrorOf(thrown: unknown): CommandError {
  if (thrown instanceof CommandError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new CommandError(text, { code: 'failed', exitCode: EXIT.failed, cause: thrown });
}
