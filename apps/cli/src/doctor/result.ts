export type CheckStatus = 'error' | 'ok' | 'skipped' | 'warn';

/** The result of one check, before its time and its documentation are added. */
export interface CheckResult {
  readonly id: string;
  readonly status: CheckStatus;
  /** What was checked: an address, a file. */
  readonly target?: string;
  /** The setting that decides. */
  readonly setting?: string;
  readonly message: string;
  readonly cure?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Of a skipped check: the check that failed. */
  readonly because?: string;
}

/** Receives results as they are found. */
export type Report = (result: CheckResult) => void;

/** Reports checks that cannot run because another one failed. */
export function skip(report: Report, because: string, ids: readonly string[]): void {
  for (const id of ids)
    report({ id, status: 'skipped', message: `not checked because of ${because}`, because });
}
