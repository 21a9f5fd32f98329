/** Properties of an AI transport event, by its name. */
export interface AiEvent {
  /** Whether a client may publish it; a trusted server may publish all. */
  readonly fromClients: boolean;
  /** Header that names the sending client; null: none. */
  readonly stamped: string | null;
}

const SERVER: AiEvent = { fromClients: false, stamped: null };

/** Every event of AI transport. */
export const AI_EVENTS: ReadonlyMap<string, AiEvent> = new Map([
  ['ai-input', { fromClients: true, stamped: 'input-client-id' }],
  ['ai-cancel', { fromClients: true, stamped: 'run-client-id' }],
  ...[
    'ai-output',
    'ai-run-start',
    'ai-run-suspend',
    'ai-run-resume',
    'ai-run-end',
    'ai-step-start',
    'ai-step-end',
    'ai-turn-start',
    'ai-turn-end',
  ].map((name) => [name, SERVER] as const),
]);

export const isAiEvent = (name: string): boolean => AI_EVENTS.has(name);
