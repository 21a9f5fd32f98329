import { errorBody, ServiceError } from '@carillon/errors';
import type { AdmissionState } from '../admission/admission.js';
import type { Decision } from '../admission/decision.js';
import type { HealthStatus } from '../health/health.js';
import type { ProcessPhase } from '../process-state.js';

/** A whole HTTP answer of a probe or statistic. Header names are in lower case. */
export interface ProbeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Statuses of `/up`. */
export type UpStatus = HealthStatus | 'DRAINING' | 'STARTING' | 'NOT_FOUND';

const NO_STORE = { 'cache-control': 'no-store' } as const;

const plain = (status: number, body: string, headers: Record<string, string> = {}): ProbeAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...NO_STORE, ...headers },
  body,
});

export function jsonAnswer(body: unknown): ProbeAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...NO_STORE },
    body: JSON.stringify(body),
  };
}

/** The one error body, as a probe's answer. */
export function errorAnswer(error: ServiceError): ProbeAnswer {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json', ...NO_STORE, ...error.headers },
    body: JSON.stringify(errorBody(error)),
  };
}

/** The event loop answers, regardless of the state of the process. */
export const liveAnswer = (): ProbeAnswer => plain(200, 'OK');

/** Whether new connections should be sent here. */
export function acceptTrafficAnswer(state: AdmissionState, { monitor, source }: Decision): ProbeAnswer {
  return plain(state === 'ACCEPTING' ? 200 : 503, state, {
    'x-memory-pressure-monitor': monitor,
    'x-memory-limit-source': source,
  });
}

const UP_STATUS: Record<UpStatus, number> = {
  OK: 200,
  DEGRADED: 200,
  ERROR: 503,
  DRAINING: 503,
  STARTING: 503,
  NOT_FOUND: 404,
};

export function upAnswer(status: UpStatus): ProbeAnswer {
  return plain(UP_STATUS[status], status, { 'x-health-check': status });
}

/** Status of `/up` without checking dependencies; null if health decides. */
export function upBeforeHealth(phase: ProcessPhase): 'STARTING' | 'DRAINING' | null {
  if (phase === 'RUNNING') return null;
  return phase === 'STARTING' ? 'STARTING' : 'DRAINING';
}
