/** One line for people of an event of the run. */
export function human(event: { readonly type: string; readonly [name: string]: unknown }): string {
  switch (event.type) {
    case 'progress':
      return `${String(event.runs)} runs, ${String(event.steps_per_second)} steps/s, ${String(event.left_seconds)} s left`;
    case 'violation':
      return [
        `violation of ${String(event.invariant)} (${String(event.promise)}) in ${String(event.core)}/${String(event.fault)} seed ${String(event.seed)}, step ${String(event.step)}, ${String(event.time_ms)} ms`,
        `  expected: ${String(event.expected)}`,
        `  actual: ${String(event.actual)}`,
        `  config: ${JSON.stringify(event.config)}`,
      ].join('\n');
    case 'shrunk':
      return `  shrunk from ${String(event.from_steps)} to ${String(event.to_steps)} steps\n  ${String(event.replay)}\n  ${String(event.replay_seed)}`;
    case 'mutant':
      return `mutant ${String(event.name)}: ${event.found === true ? 'found' : 'SURVIVED'} by ${String(event.core)}/${String(event.fault)} (${String(event.runs)} runs, seed ${String(event.seed)}) ${String(event.detail)}`;
    case 'summary':
      return summary(event);
    default:
      return `${event.type} ${JSON.stringify({ ...event, type: undefined })}`;
  }
}

function summary(event: { readonly [name: string]: unknown }): string {
  const { runs, steps, seconds, violations } = event as Record<string, number>;
  const perSecond = Math.round((steps ?? 0) / Math.max(0.001, seconds ?? 0));
  return `${runs} runs, ${steps} steps, ${seconds?.toFixed(1)} s (${perSecond} steps/s), ${violations} violations`;
}
