import { headerOf } from './status.js';

/** Webhook about a run, with its fields as sent. */
export type LifecycleWebhook =
  | { readonly name: 'ai_run_started'; readonly run_id: string | null; readonly client_id: string | null }
  | {
      readonly name: 'ai_run_ended';
      readonly run_id: string | null;
      readonly reason: string;
      readonly error_code: string | null;
    }
  | {
      readonly name: 'ai_cancel_requested';
      readonly run_id: string | null;
      readonly turn_id: string | null;
      readonly client_id: string | null;
    }
  | {
      readonly name: 'ai_turn_started';
      readonly run_id: string | null;
      readonly turn_id: string | null;
      readonly client_id: string | null;
    }
  | {
      readonly name: 'ai_turn_ended';
      readonly run_id: string | null;
      readonly turn_id: string | null;
      readonly reason: string;
      readonly error_code: string | null;
    };

const REASONS: ReadonlySet<string> = new Set(['complete', 'cancelled', 'error', 'suspended']);

/** Returns the webhook of an AI transport publish; null: none. */
export function lifecycleOf(event: string, extrasText: string | null): LifecycleWebhook | null {
  const header = (name: string): string | null => {
    const value = headerOf(extrasText, 'transport', name);
    return value === '' ? null : value;
  };
  const reason = (name: string): string => {
    const given = header(name);
    return given !== null && REASONS.has(given) ? given : 'unknown';
  };
  const run_id = header('run-id') ?? header('turn-id');
  const turn_id = header('turn-id') ?? header('run-id');
  const client_id = header('run-client-id') ?? header('turn-client-id');
  const error_code = header('error-code');
  switch (event) {
    case 'ai-run-start':
      return { name: 'ai_run_started', run_id, client_id };
    case 'ai-run-end':
      return { name: 'ai_run_ended', run_id, reason: reason('run-reason'), error_code };
    case 'ai-cancel':
      return { name: 'ai_cancel_requested', run_id, turn_id, client_id };
    case 'ai-turn-start':
      return { name: 'ai_turn_started', run_id, turn_id, client_id };
    case 'ai-turn-end': {
      const ended = reason('turn-reason');
      // The older events have no other word for a pause.
      return ended === 'suspended'
        ? null
        : { name: 'ai_turn_ended', run_id, turn_id, reason: ended, error_code };
    }
    default:
      return null;
  }
}
